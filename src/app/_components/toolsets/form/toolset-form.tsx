"use client";

import { useRef, useState } from "react";
import { CheckPanel } from "@/app/_kit/check-panel";
import { DraftNotice } from "@/app/_kit/draft-notice";
import { EditConflict } from "@/app/_kit/edit-conflict";
import { EditorForm } from "@/app/_kit/editor-form";
import { DraftField } from "@/app/_kit/form/draft-field";
import { ownFields } from "@/app/_kit/merge-drafts";
import { sortProblems } from "@/app/_kit/problems";
import type { DraftState } from "@/app/_kit/use-draft";
import { useFocusOnProblem } from "@/app/_kit/use-focus-on-problem";
import { useLeaveGuard } from "@/app/_kit/use-leave-guard";
import { toEdited } from "@/app/_kit/use-save";
import { Button } from "@/app/_ui/button";
import type { LastEdit } from "@/lib/contract/last-edit";
import type { Problem } from "@/lib/contract/problem";
import { formatCount } from "@/lib/format";
import { CostTable } from "./cost-table";
import { OptionFields } from "./option-fields";
import { SelectionFields } from "./selection-fields";
import { ToolRows } from "./tool-rows";
import { readDraft, type ToolsetDraft } from "./toolset-draft";
import { useSaveToolset } from "./use-save-toolset";
import { useToolsetPreview } from "./use-toolset-preview";

const FIELDS = ["name", "title", "description", "tools", "patterns", "servers", "overrides", "pinned"] as const;
const NONE: readonly string[] = [];
const TOOLSET_FIELDS = ownFields<ToolsetDraft>({
  ...{
    description: "Instructions",
    tools: "Tools by name",
    servers: "Tools by server",
    patternsText: "Tools by pattern",
  },
  ...{ contents: "Resources and prompts", askReason: "Ask for a reason", overrides: "Changed tools" },
});
const FIRST_WARNINGS = 5;

export interface ToolsetFormProps {
  held: DraftState<ToolsetDraft>;
  /** The name of the toolset that is changed; null for a new one. */
  editing: string | null;
  lastEdit?: LastEdit | undefined;
  /** It lets tools run without approval as it is saved now. */
  relaxed?: boolean;
}

/** A toolset as a form, with what its clients would get. */
export function ToolsetForm({ held, editing, lastEdit, relaxed = false }: ToolsetFormProps) {
  const { draft, change } = held;
  const read = readDraft(draft);
  const input = "input" in read ? read.input : null;
  const { preview, problems: refused, current, failure } = useToolsetPreview(input ?? null);
  const {
    save,
    pending,
    problems: found,
    refusal,
  } = useSaveToolset(toEdited(editing, held.base), () => held.settle(draft));
  const form = useRef<HTMLFormElement>(null);
  const [attempts, setAttempts] = useState(0);
  useFocusOnProblem(form, attempts, refusal?.message);
  useLeaveGuard(held.dirty && !pending);
  const problems = sortProblems(found, FIELDS, "toolset");
  const isForAdmins = relaxed || Object.values(draft.overrides).some(({ approval }) => approval === "never");
  const shownProblems = preview?.problems ?? [];
  const unread = "problems" in read ? read.problems : refused;
  const errors = [...unread, ...shownProblems.filter(({ severity }) => severity === "error")];
  const warnings = shownProblems.filter(({ severity }) => severity === "warning");
  function submit() {
    if (pending) return;
    setAttempts((count) => count + 1);
    save(read);
  }
  return (
    <EditorForm
      ref={form}
      label={editing === null ? "New toolset" : `Edit ${editing}`}
      onSubmit={submit}
      pending={pending}
      needs={isForAdmins ? "administer" : "edit"}
      submitLabel={editing === null ? "Create toolset" : "Save"}
      cancelPath="/toolsets"
      refusal={refusal?.message ?? null}
      notice={
        <>
          <DraftNotice held={held} />
          <EditConflict held={held} fields={TOOLSET_FIELDS} subject="toolset" lastEdit={lastEdit} pending={pending} />
        </>
      }
      columns="lg:grid-cols-[minmax(0,1fr)_22rem]"
      check={
        <CheckPanel
          subject="toolset"
          current={current || input === null}
          failure={failure}
          problems={errors}
          total={errors.length}
          untouched={!held.dirty}
        >
          {preview !== null && <CostTable preview={preview} discovery={draft.discovery} />}
          <Warnings warnings={warnings} />
        </CheckPanel>
      }
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <DraftField
          field="name"
          label="Name"
          required
          mono
          placeholder="support"
          value={draft.name}
          problems={problems.name ?? NONE}
          hint={
            <>
              Served at <code className="font-mono [overflow-wrap:anywhere]">/mcp/sets/{draft.name.trim() || "…"}</code>
            </>
          }
          onChange={(name) => change({ name })}
        />
        <DraftField
          field="title"
          label="Title"
          maxLength={200}
          value={draft.title}
          problems={problems.title ?? NONE}
          hint="Display name (optional)."
          onChange={(title) => change({ title })}
        />
      </div>
      <DraftField
        field="description"
        label="Instructions"
        rows={2}
        maxLength={20_000}
        value={draft.description}
        problems={problems.description ?? NONE}
        hint="What the tools are for. Clients get it as the server's instructions."
        onChange={(description) => change({ description })}
      />
      <SelectionFields draft={draft} change={change} problems={problems} />
      <OptionFields draft={draft} change={change} preview={preview} />
      <ToolRows held={held} preview={preview} problems={unread.length > 0 ? unread : found} />
    </EditorForm>
  );
}

/** Below the costs: a large toolset may have hundreds. */
function Warnings({ warnings }: { warnings: readonly Problem[] }) {
  const [whole, setWhole] = useState(false);
  if (warnings.length === 0) return null;
  const shown = whole ? warnings : warnings.slice(0, FIRST_WARNINGS);
  return (
    <div className="border-line border-t pt-3">
      <h3 className="mb-1 font-medium text-mute text-xs">Warnings</h3>
      <ul aria-label="Warnings" className="flex list-disc flex-col gap-1 pl-4 text-mute [overflow-wrap:anywhere]">
        {shown.map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            <span className="font-mono text-xs">{path}</span> {message}
          </li>
        ))}
      </ul>
      {warnings.length > FIRST_WARNINGS && (
        <Button className="mt-2" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? "Show fewer" : `Show all ${formatCount(warnings.length)}`}
        </Button>
      )}
    </div>
  );
}
