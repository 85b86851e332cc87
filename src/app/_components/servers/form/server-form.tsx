"use client";

import dynamic from "next/dynamic";
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { toPrefixedName, toServerPath } from "@/app/_components/servers/summary/server-words";
import { useSettingsCheck } from "@/app/_components/servers/summary/use-settings-check";
import { CheckPanel } from "@/app/_kit/check-panel";
import { DraftNotice } from "@/app/_kit/draft-notice";
import { EditConflict } from "@/app/_kit/edit-conflict";
import { EditorForm } from "@/app/_kit/editor-form";
import { ownFields } from "@/app/_kit/merge-drafts";
import type { DraftState } from "@/app/_kit/use-draft";
import { useLeaveGuard } from "@/app/_kit/use-leave-guard";
import { toEdited } from "@/app/_kit/use-save";
import { Segmented } from "@/app/_ui/segmented";
import { Skeleton } from "@/app/_ui/skeleton";
import { permissionForServer } from "@/lib/contract/access";
import type { LastEdit } from "@/lib/contract/last-edit";
import type { ServerDetail, ServerTransport } from "@/lib/contract/server";
import { AdvancedFields, hasAdvanced, isAdvanced } from "./advanced-fields";
import { CommandFields } from "./command-fields";
import { CredentialFields } from "./credential-fields";
import { FIELD_LABELS } from "./field-labels";
import type { FormState } from "./form-state";
import { toChecked } from "./openapi-draft";
import { RemoteFields } from "./remote-fields";
import { type ServerDraft, settingsOf, toComparable } from "./server-draft";
import { SettingField } from "./setting-field";
import { useSaveServer } from "./use-save-server";

const OpenApiFields = dynamic(() => import("./openapi-fields").then((module) => module.OpenApiFields), {
  loading: () => <Skeleton className="h-60" />,
});

export interface ServerFormProps<Draft extends ServerDraft> {
  held: DraftState<Draft>;
  /** Whether there are unsaved changes. */
  dirty: boolean;
  /** The name of the server that is changed; null for a new one. */
  editing: string | null;
  /** What that server has now, which may take more permission to change than the draft. */
  stored?: Pick<ServerDetail, "settings" | "lastEdit">;
  /** False: a new server is added switched off. */
  enabled?: boolean;
  /** Above the fields. */
  intro?: ReactNode;
}

interface NoticesProps<Draft> {
  held: DraftState<Draft>;
  lastEdit: LastEdit | undefined;
  pending: boolean;
}

function Notices<Draft extends ServerDraft>(props: NoticesProps<Draft>) {
  return (
    <>
      <DraftNotice held={props.held} />
      <EditConflict {...props} fields={ownFields<Draft>(FIELD_LABELS, toComparable)} subject="server" />
    </>
  );
}

/** How one server is reached, as a form. The server's check is the judge; what was typed stays whatever it says. */
export function ServerForm<Draft extends ServerDraft>(props: ServerFormProps<Draft>) {
  const { held, dirty, editing, enabled = true, intro } = props;
  const { draft } = held;
  const settings = settingsOf(draft);
  const isForAdmins = [settings, props.stored?.settings ?? settings].some(
    (each) => permissionForServer(each) === "administer",
  );
  const check = useSettingsCheck(toChecked(settings), editing);
  const { save, pending, refusal } = useSaveServer(toEdited(editing, held.base), enabled, () => held.settle(draft));
  useLeaveGuard(dirty && !pending);
  const formElement = useRef<HTMLFormElement>(null);
  const { touched, touch, touchAll, all } = useTouched();
  const [revealed, setRevealed] = useState<number | null>(null);
  const [advancedAtFirst] = useState(() => hasAdvanced(draft));

  const form: FormState = {
    draft,
    change: (part) => held.update((before) => ({ ...before, ...part })),
    // Fields that were not visited show no problems; the check lists them.
    problemsOf: (field) => {
      if (!all && !touched.has(field)) return [];
      const mine = check.problems.filter(({ path }) => path === field);
      return mine.length > 0 && check.covers(field) ? mine.map(({ message }) => message) : [];
    },
    revealed,
    reveal: setRevealed,
  };

  function goTo(field: string) {
    const named = [...(formElement.current?.querySelectorAll<HTMLElement>("[data-field]") ?? [])];
    const target =
      named.find((element) => element.dataset.field === field) ??
      named.find((element) => element.dataset.field?.startsWith(`${field}.`)) ??
      // One element edits a whole list of texts.
      named.find((element) => field.startsWith(`${element.dataset.field}[`));
    const details = target?.closest("details");
    if (details) details.open = true;
    target?.focus();
  }
  // Sent before its check came, which then leads to the first problem as well.
  const unjudged = useRef(false);
  function submit() {
    if (pending) return;
    const [first] = check.current ? check.problems : [];
    touchAll();
    unjudged.current = !check.current;
    // Settings with known problems are not sent: the first problem gets the focus.
    if (first === undefined) save({ input: settings });
    else goTo(first.path);
  }
  const onJudged = useEffectEvent(() => {
    const [first] = check.problems;
    if (unjudged.current && first !== undefined) goTo(first.path);
    unjudged.current = false;
  });
  // Outside system: the focus.
  useEffect(() => {
    if (check.current) onJudged();
  }, [check.current]);

  // A refusal of settings that have been edited since is outdated.
  const refused = refusal !== null && JSON.stringify(refusal.input) === JSON.stringify(settings);
  const advancedOpen = advancedAtFirst || (all && check.problems.some(({ path }) => isAdvanced(path)));
  const untouched = !all && touched.size === 0 && !dirty;
  return (
    <EditorForm
      ref={formElement}
      label={editing === null ? "New server" : `Edit ${editing}`}
      onSubmit={submit}
      onBlur={({ target }) => touch(target.dataset.field)}
      pending={pending}
      needs={isForAdmins ? "administer" : "edit"}
      submitLabel={submitLabel(editing, enabled)}
      cancelPath={editing === null ? "/servers" : toServerPath(editing)}
      refusal={refused ? refusal.message : null}
      notice={<Notices {...{ held, pending }} lastEdit={props.stored?.lastEdit} />}
      columns="lg:grid-cols-[minmax(0,44rem)_22rem]"
      check={
        <CheckPanel
          {...check}
          subject="settings"
          problems={untouched ? [] : check.problems}
          total={check.problems.length}
          untouched={untouched}
          onGoTo={goTo}
        >
          <CheckNotes notes={check.notes} />
        </CheckPanel>
      }
    >
      {intro}
      <NameFields form={form} editing={editing} />
      <TransportChoice form={form} />
      {draft.transport === "stdio" && <CommandFields form={form} />}
      {draft.transport === "openapi" && <OpenApiFields form={form} editing={editing} />}
      {(draft.transport === "http" || draft.transport === "sse") && <RemoteFields form={form} />}
      <CredentialFields form={form} />
      <AdvancedFields form={form} open={advancedOpen} />
    </EditorForm>
  );
}

function CheckNotes({ notes }: { notes: readonly string[] }) {
  return (
    <>
      {notes.length > 0 && (
        <div>
          <h3 className="mb-1 font-medium text-mute text-xs">Warnings</h3>
          <ul className="flex list-disc flex-col gap-1 pl-4 text-mute">
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </div>
      )}
      <p className="border-line border-t pt-3 text-mute text-xs">
        <code className="font-mono">$&#123;VAR&#125;</code> and{" "}
        <code className="font-mono">$&#123;VAR:-default&#125;</code> in command, arguments, environment, address and
        headers are filled in from the environment of the Toolroom server each time it connects.
      </p>
    </>
  );
}

function submitLabel(editing: string | null, enabled: boolean): string {
  if (editing !== null) return "Save and reconnect";
  return enabled ? "Add and connect" : "Add disabled";
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
                {toPrefixedName(name || "files", "read_file")}
              </code>
            </>
          }
        />
        {renamed && (
          <p role="status" className="mt-1 text-warn text-xs [overflow-wrap:anywhere]">
            Every tool is then called by the new prefix: calls of {toPrefixedName(editing, "…")} will find nothing.
          </p>
        )}
      </div>
      <SettingField form={form} part="title" label="Title" placeholder="Team files" hint="Display name (optional)." />
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
  {
    value: "openapi",
    label: "OpenAPI",
    text: "An HTTP API that an OpenAPI document describes: its operations become tools.",
  },
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
