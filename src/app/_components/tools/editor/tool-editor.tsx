"use client";

import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useState } from "react";
import { QualityList } from "@/app/_components/tools/summary/tool-badges";
import { CheckPanel } from "@/app/_kit/check-panel";
import { DraftNotice } from "@/app/_kit/draft-notice";
import { EditorForm } from "@/app/_kit/editor-form";
import { useLeaveGuard } from "@/app/_kit/use-leave-guard";
import { Alert } from "@/app/_ui/alert";
import { JsonEditor } from "@/app/_ui/json-editor";
import { Segmented } from "@/app/_ui/segmented";
import { describeProblem, type Problem } from "@/lib/contract/problem";
import { DefinitionForm } from "./definition-form";
import type { HandlerNames } from "./templates";
import { useDefinitionCheck } from "./use-definition-check";
import { useDefinitionDraft } from "./use-definition-draft";
import { useSaveDefinition } from "./use-save-definition";

export interface ToolEditorProps {
  initialText: string;
  handlers: HandlerNames;
  /** The name of the tool that is changed; null for a new one. */
  editing: string | null;
  /** Names the draft in this tab. */
  keptAs: string;
  /** Identifies the version of the tool that is changed or copied. */
  base?: string;
}

function withoutDoubles(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [describeProblem(problem), problem])).values()];
}

/** A definition as a form and as JSON. The JSON is the truth, the server's check is the judge. */
export function ToolEditor({ initialText, handlers, editing, keptAs, base = "" }: ToolEditorProps) {
  const draft = useDefinitionDraft(initialText, { keptAs, base });
  const [view, setView] = useQueryState("view", parseAsStringLiteral(["form", "json"]).withDefault("form"));
  const [switchProblem, setSwitchProblem] = useState<string | null>(null);
  const check = useDefinitionCheck(draft.text, editing);
  const {
    save,
    pending,
    refusal,
    problems: found,
  } = useSaveDefinition(editing, () => draft.held.settle(draft.held.draft));
  useLeaveGuard(draft.dirty && !pending);

  // A refusal of the whole is shown above the check.
  const refused = refusal?.input === draft.text ? found.filter(({ path }) => path !== "") : [];
  const problems = withoutDoubles([...draft.brokenParts, ...check.problems, ...refused]);
  // An untouched form shows no problems at its fields; the check lists them.
  const untouched = editing === null && !draft.dirty && refusal === null;
  const shownView = draft.read.ok ? view : "json";

  function show(next: "form" | "json") {
    if (next === "form" && !draft.read.ok) return setSwitchProblem(draft.read.message);
    if (next === "json" && draft.brokenParts.length > 0)
      return setSwitchProblem(draft.brokenParts.map(({ message }) => message).join("; "));
    setSwitchProblem(null);
    void setView(next);
  }
  function submit() {
    if (pending || draft.brokenParts.length > 0) return;
    save({ input: draft.text });
  }
  function edited(text: string) {
    setSwitchProblem(null);
    draft.setText(text);
  }

  return (
    <EditorForm
      label={editing === null ? "New tool" : `Edit ${editing}`}
      onSubmit={submit}
      pending={pending}
      disabled={draft.brokenParts.length > 0}
      submitLabel={editing === null ? "Create tool" : "Save changes"}
      cancelPath={editing === null ? "/tools" : `/tools/${encodeURIComponent(editing)}`}
      refusal={refusal?.message ?? null}
      notice={<DraftNotice held={draft.held} subject="tool" />}
      columns="lg:grid-cols-[minmax(0,1fr)_22rem]"
      check={
        <CheckPanel {...check} subject="definition" problems={problems} untouched={untouched}>
          {check.quality.length > 0 && (
            <div>
              <h3 className="mb-1 font-medium text-mute text-xs">Warnings (you can still save)</h3>
              <QualityList notes={check.quality} />
            </div>
          )}
        </CheckPanel>
      }
    >
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
        <Alert live tone="warn" title="Fix the JSON before switching">
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
    </EditorForm>
  );
}
