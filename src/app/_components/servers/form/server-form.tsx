"use client";

import Link from "next/link";
import { type FocusEvent, type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { prefixedName, serverPath } from "@/app/_components/servers/server-words";
import { useLeaveGuard } from "@/app/_components/tools/editor/use-leave-guard";
import { Alert } from "@/app/_ui/alert";
import { Button, buttonClass } from "@/app/_ui/button";
import { Kbd } from "@/app/_ui/kbd";
import { Segmented } from "@/app/_ui/segmented";
import type { ServerTransport } from "@/lib/contract/server";
import { AdvancedFields, hasAdvanced, isAdvanced } from "./advanced-fields";
import { CheckPanel } from "./check-panel";
import { CommandFields } from "./command-fields";
import type { FormState } from "./form-state";
import { RemoteFields } from "./remote-fields";
import { type ServerDraft, settingsOf } from "./server-draft";
import { SettingField } from "./setting-field";
import { useSaveServer } from "./use-save-server";
import { useSettingsCheck } from "./use-settings-check";

export interface ServerFormProps {
  draft: ServerDraft;
  onChange: (part: Partial<ServerDraft>) => void;
  /** Whether anything was typed that would be lost. */
  dirty: boolean;
  /** The name of the server that is changed; null for a new one. */
  editing: string | null;
  /** Above the fields. */
  intro?: ReactNode;
}

/** How one server is reached, as a form. The server's check is the judge; what was typed stays whatever it says. */
export function ServerForm({ draft, onChange, dirty, editing, intro }: ServerFormProps) {
  const settings = settingsOf(draft);
  const check = useSettingsCheck(settings, editing);
  const { save, pending, refusal } = useSaveServer(editing);
  useLeaveGuard(dirty && !pending);
  const formElement = useRef<HTMLFormElement>(null);
  const { touched, touch, touchAll, all } = useTouched();
  const [revealed, setRevealed] = useState<number | null>(null);
  const [advancedAtFirst] = useState(() => hasAdvanced(draft));

  const form: FormState = {
    draft,
    change: onChange,
    // What has not been visited is not wrong yet: what is missing is listed, not held against anybody.
    problemsOf: (field) => {
      if (!all && !touched.has(field)) return [];
      const mine = check.problems.filter((each) => each.field === field);
      return mine.length > 0 && check.covers(field) ? mine.map(({ message }) => message) : [];
    },
    revealed,
    reveal: setRevealed,
  };

  function goTo(field: string) {
    const named = [...(formElement.current?.querySelectorAll<HTMLElement>("[data-field]") ?? [])];
    const target =
      named.find((element) => element.dataset.field === field) ??
      named.find((element) => element.dataset.field?.startsWith(`${field}.`));
    const details = target?.closest("details");
    if (details) details.open = true;
    target?.focus();
  }
  function submit() {
    if (pending) return;
    const [first] = check.current ? check.problems : [];
    touchAll();
    // What is known to be refused is not sent: the person is taken to it.
    if (first === undefined) save(settings);
    else goTo(first.field);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    submit();
  }

  // What was refused for what has been changed since is the check's to say again.
  const refused = refusal !== null && JSON.stringify(refusal.settings) === JSON.stringify(settings);
  const advancedOpen = advancedAtFirst || (all && check.problems.some(({ field }) => isAdvanced(field)));
  return (
    <form
      ref={formElement}
      aria-label={editing === null ? "New server" : `Edit ${editing}`}
      noValidate
      onKeyDown={onKeyDown}
      onBlur={(event: FocusEvent<HTMLElement>) => touch(event.target.dataset.field)}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      className="flex min-h-0 flex-1 flex-col"
    >
      <div className="grid min-h-0 flex-1 content-start gap-4 overflow-y-auto p-4 lg:grid-cols-[minmax(0,44rem)_22rem]">
        <div className="flex min-w-0 flex-col gap-4">
          {intro}
          <NameFields form={form} editing={editing} />
          <TransportChoice form={form} />
          {draft.transport === "stdio" ? <CommandFields form={form} /> : <RemoteFields form={form} />}
          <AdvancedFields form={form} open={advancedOpen} />
        </div>
        <div className="flex flex-col gap-3 lg:sticky lg:top-0 lg:self-start">
          {refused && (
            <Alert live tone="bad" title="Not saved">
              <p>{refusal.message}</p>
            </Alert>
          )}
          <CheckPanel check={check} untouched={!all && touched.size === 0 && !dirty} onGoTo={goTo} />
        </div>
      </div>
      <footer className="flex shrink-0 items-center justify-end gap-2 border-line border-t bg-panel px-4 py-2.5">
        <Link href={editing === null ? "/servers" : serverPath(editing)} className={buttonClass()}>
          Cancel
        </Link>
        <Button type="submit" variant="primary" disabled={pending}>
          {pending ? "Saving…" : editing === null ? "Add and connect" : "Save and reconnect"}
          <Kbd plain>⌘↵</Kbd>
        </Button>
      </footer>
    </form>
  );
}

/** The press that took the focus away must land before a message moves what it was aimed at. */
const AFTER_PRESS_MS = 200;

/** Which fields a person has been in; `all` once they tried to save. */
function useTouched() {
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [all, setAll] = useState(false);
  return {
    touched,
    all,
    touch: (field: string | undefined) => {
      if (field === undefined || touched.has(field)) return;
      setTimeout(() => setTouched((before) => new Set(before).add(field)), AFTER_PRESS_MS);
    },
    touchAll: () => setAll(true),
  };
}

function NameFields({ form, editing }: { form: FormState; editing: string | null }) {
  const name = form.draft.name.trim();
  const renamed = editing !== null && name !== "" && name !== editing;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <div className="min-w-0">
        <SettingField
          form={form}
          part="name"
          label="Name"
          required
          mono
          placeholder="files"
          hint={
            <>
              The prefix of its tools: <code className="font-mono">read_file</code> is called{" "}
              <code className="font-mono text-text [overflow-wrap:anywhere]">
                {prefixedName(name || "files", "read_file")}
              </code>
            </>
          }
        />
        {renamed && (
          <p role="status" className="mt-1 text-warn text-xs [overflow-wrap:anywhere]">
            Every tool is then called by the new prefix: calls of {prefixedName(editing, "…")} will find nothing.
          </p>
        )}
      </div>
      <SettingField
        form={form}
        part="title"
        label="Title"
        placeholder="Team files"
        hint="For people; may be left empty."
      />
    </div>
  );
}

const TRANSPORT_CHOICES: readonly { value: ServerTransport; label: string; text: string }[] = [
  {
    value: "stdio",
    label: "stdio",
    text: "A program that Toolroom starts on this machine and talks to over its standard streams.",
  },
  {
    value: "http",
    label: "Streamable HTTP",
    text: "A server that runs elsewhere; what most remote servers speak today.",
  },
  { value: "sse", label: "SSE", text: "The older HTTP transport, for servers that have not moved on." },
];

function TransportChoice({ form }: { form: FormState }) {
  const { transport } = form.draft;
  return (
    <div>
      <p className="mb-1 flex items-baseline gap-1.5 font-medium">
        Transport <span className="font-mono font-normal text-2xs text-faint">transport</span>
      </p>
      <Segmented
        label="Transport"
        value={transport}
        options={TRANSPORT_CHOICES}
        onChange={(next) => form.change({ transport: next })}
      />
      <p className="mt-1 text-mute text-xs">{TRANSPORT_CHOICES.find(({ value }) => value === transport)?.text}</p>
    </div>
  );
}
