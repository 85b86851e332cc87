"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { CheckPanel } from "@/app/_kit/check-panel";
import { checkDraft, writeInput } from "@/app/_kit/form/draft-input";
import { Field } from "@/app/_kit/form/field";
import { FormPage } from "@/app/_kit/form/form-page";
import { useForm } from "@/app/_kit/form/use-form";
import type { DraftState } from "@/app/_kit/use-draft";
import { type EditedThing, type Save, toEdited, useSave } from "@/app/_kit/use-save";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import type { LastEdit } from "@/lib/contract/last-edit";
import type { Problem } from "@/lib/contract/problem";
import type { ToolsetInput } from "@/lib/contract/toolset";
import { formatCount } from "@/lib/format";
import { CostTable } from "./cost-table";
import { OptionFields, SelectionFields } from "./selection-fields";
import { ToolRows } from "./tool-rows";
import { TOOLSET_FORM, type ToolsetDraft } from "./toolset-fields";
import { useToolsetPreview } from "./use-toolset-preview";

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
  const { draft } = held;
  const unreadable = checkDraft(TOOLSET_FORM, draft);
  const input = unreadable.length > 0 ? null : writeInput(TOOLSET_FORM, draft);
  const { preview, problems: refused, current, failure } = useToolsetPreview(input);
  const saving = useSaveToolset(toEdited(editing, held.base), () => held.settle(draft));
  const form = useForm(TOOLSET_FORM, { held, saving, root: "toolset" });
  const isForAdmins = relaxed || Object.values(draft.overrides).some(({ approval }) => approval === "never");
  const shownProblems = preview?.problems ?? [];
  const unread = unreadable.length > 0 ? unreadable : refused;
  const errors = [...unread, ...shownProblems.filter(({ severity }) => severity === "error")];
  const warnings = shownProblems.filter(({ severity }) => severity === "warning");
  return (
    <FormPage
      form={form}
      label={editing === null ? "New toolset" : `Edit ${editing}`}
      needs={isForAdmins ? "administer" : "edit"}
      submitLabel={editing === null ? "Create toolset" : "Save"}
      cancelPath="/toolsets"
      subject="toolset"
      lastEdit={lastEdit}
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
        <Field
          form={form}
          at="name"
          hint={
            <>
              Served at <code className="font-mono [overflow-wrap:anywhere]">/mcp/sets/{draft.name.trim() || "…"}</code>
            </>
          }
        />
        <Field form={form} at="title" />
      </div>
      <Field form={form} at="description" />
      <SelectionFields form={form} />
      <OptionFields form={form} preview={preview} />
      <ToolRows held={held} preview={preview} problems={unread.length > 0 ? unread : saving.problems} />
    </FormPage>
  );
}

/** Creates a toolset, or changes the one that is edited, then opens its page. */
function useSaveToolset(editing: EditedThing | null, onSaved: () => void): Save<ToolsetInput> {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  return useSave({
    send: (input: ToolsetInput) =>
      editing === null
        ? client.toolsets.create.mutate(input)
        : client.toolsets.update.mutate({ ...editing, toolset: input }),
    onSaved: (toolset) => {
      onSaved();
      queryClient.setQueryData(trpc.toolsets.get.queryKey({ name: toolset.name }), toolset);
      void queryClient.invalidateQueries({ queryKey: trpc.toolsets.list.queryKey() });
    },
    onConflict: () => void queryClient.invalidateQueries({ queryKey: trpc.toolsets.pathKey() }),
    toast: ({ name }) => (editing === null ? `${name} created` : `${name} saved`),
    openPath: ({ name }) => `/toolsets/${encodeURIComponent(name)}`,
  });
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
