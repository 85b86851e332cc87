"use client";

import Link from "next/link";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { type KeyboardEvent, useState } from "react";
import { Alert } from "@/app/_ui/alert";
import { Button, buttonClass } from "@/app/_ui/button";
import { JsonEditor } from "@/app/_ui/json-editor";
import { Kbd } from "@/app/_ui/kbd";
import { Segmented } from "@/app/_ui/segmented";
import { CheckPanel } from "./check-panel";
import { DefinitionForm } from "./definition-form";
import { fieldOf } from "./problem-fields";
import type { HandlerNames } from "./templates";
import { useDefinitionCheck } from "./use-definition-check";
import { useDefinitionDraft } from "./use-definition-draft";
import { useLeaveGuard } from "./use-leave-guard";
import { useSaveDefinition } from "./use-save-definition";

export interface ToolEditorProps {
  initialText: string;
  handlers: HandlerNames;
  /** The name of the tool that is changed; null for a new one. */
  editing: string | null;
}

/** A refusal that names no problems is one itself when it is about a field, such as a name that is taken. */
function refusalProblems({ message, problems }: { message: string; problems: readonly string[] }): readonly string[] {
  return problems.length > 0 || fieldOf(message) === null ? problems : [message];
}

/** A definition as a form and as JSON. The JSON is the truth, the server's check is the judge. */
export function ToolEditor({ initialText, handlers, editing }: ToolEditorProps) {
  const draft = useDefinitionDraft(initialText);
  const [view, setView] = useQueryState("view", parseAsStringLiteral(["form", "json"]).withDefault("form"));
  const [switchProblem, setSwitchProblem] = useState<string | null>(null);
  const check = useDefinitionCheck(draft.text, editing);
  const { save, pending, refusal } = useSaveDefinition(editing);
  useLeaveGuard(draft.dirty && !pending);

  const refused = refusal !== null && refusal.text === draft.text ? refusalProblems(refusal) : [];
  const problems = [...new Set([...draft.brokenParts, ...check.problems, ...refused])];
  // An untouched form is not wrong yet: what is missing is listed, not held against anybody.
  const untouched = editing === null && !draft.dirty && refusal === null;
  const shownView = draft.read.ok ? view : "json";

  function show(next: "form" | "json") {
    if (next === "form" && !draft.read.ok) return setSwitchProblem(draft.read.message);
    if (next === "json" && draft.brokenParts.length > 0) return setSwitchProblem(draft.brokenParts.join("; "));
    setSwitchProblem(null);
    void setView(next);
  }
  function submit() {
    if (pending || draft.brokenParts.length > 0) return;
    save(draft.text);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    submit();
  }
  function edited(text: string) {
    setSwitchProblem(null);
    draft.setText(text);
  }

  return (
    <form
      aria-label={editing === null ? "New tool" : `Edit ${editing}`}
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      className="flex min-h-0 flex-1 flex-col"
    >
      <div className="grid min-h-0 flex-1 content-start gap-4 overflow-y-auto p-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-3">
          <Segmented
            label="Edit as"
            value={shownView}
            options={[
              { value: "form", label: "Form" },
              { value: "json", label: "JSON" },
            ]}
            onChange={show}
            className="self-start"
          />
          {switchProblem !== null && (
            <Alert live tone="warn" title="Mend this first, so that nothing is lost">
              <p>{switchProblem}</p>
            </Alert>
          )}
          {draft.read.ok && shownView === "form" ? (
            <DefinitionForm
              draft={draft}
              value={draft.read.value}
              problems={untouched ? [] : problems}
              handlers={handlers}
            />
          ) : (
            <JsonEditor
              label="Definition"
              value={draft.text}
              onChange={edited}
              invalid={problems.length > 0}
              minLines={22}
            />
          )}
        </div>
        <div className="flex flex-col gap-3 lg:sticky lg:top-0 lg:self-start">
          {refusal !== null && (
            <Alert live tone="bad" title="Not saved">
              <p>{refusal.message}</p>
            </Alert>
          )}
          <CheckPanel check={check} problems={problems} untouched={untouched} />
        </div>
      </div>
      <footer className="flex shrink-0 items-center justify-end gap-2 border-line border-t bg-panel px-4 py-2.5">
        <Link href={editing === null ? "/tools" : `/tools/${encodeURIComponent(editing)}`} className={buttonClass()}>
          Cancel
        </Link>
        <Button type="submit" variant="primary" disabled={pending || draft.brokenParts.length > 0}>
          {pending ? "Saving…" : editing === null ? "Create tool" : "Save changes"}
          <Kbd plain>⌘↵</Kbd>
        </Button>
      </footer>
    </form>
  );
}
