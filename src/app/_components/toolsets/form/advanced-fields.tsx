"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Field } from "@/app/_kit/form/field";
import type { FormState } from "@/app/_kit/form/use-form";
import { FieldProblems } from "@/app/_kit/form-field";
import { MultiSelect } from "@/app/_kit/multi-select";
import { useTRPC } from "@/app/_trpc/client";
import type { ToolsetDraft } from "./toolset-fields";

/** Selected names stay in the list when they have left the catalog, so that they can be removed. */
function toOptions(names: readonly string[], chosen: readonly string[]) {
  return [...new Set([...names, ...chosen])].map((name) => ({ value: name, label: name, mono: true }));
}

export interface AdvancedFieldsProps {
  form: FormState<ToolsetDraft>;
  /** The chosen tools. */
  tools: readonly string[];
}

/** Patterns, what clients get beside the tools, and how they get the tools. */
export function AdvancedFields({ form, tools }: AdvancedFieldsProps) {
  const { draft, change, findProblems } = form;
  const trpc = useTRPC();
  const servers = useQuery(trpc.servers.list.queryOptions());
  const [isOpen] = useState(draft.patterns !== "" || draft.contents.length > 0 || draft.discovery || draft.askReason);
  return (
    <details open={isOpen} className="rounded-lg border border-line bg-panel">
      <summary className="rounded-lg px-3 py-2 font-medium">
        Advanced <span className="font-normal text-mute text-xs">patterns, resources, discovery, reasons</span>
      </summary>
      <div className="flex flex-col gap-4 border-line border-t p-3">
        <Field form={form} at="patterns" />
        <div>
          <p className="mb-1 font-medium">Resources and prompts</p>
          <div className="flex flex-wrap items-center gap-2">
            <MultiSelect
              label="Of servers"
              options={toOptions(servers.data?.items.map(({ name }) => name) ?? [], draft.contents)}
              value={draft.contents}
              onChange={(contents) => change({ contents })}
            />
            <span className="text-mute text-xs">
              {draft.contents.length === 0 ? "Clients get tools only." : "Clients also get what these servers offer."}
            </span>
          </div>
        </div>
        <div className="flex flex-col gap-2">
          <Field form={form} at="discovery" />
          {draft.discovery && (
            <div className="pl-7.5">
              <MultiSelect
                label="Pinned"
                options={toOptions(tools, draft.pinned)}
                value={draft.pinned}
                onChange={(pinned) => change({ pinned })}
              />
              <FieldProblems id="toolset-pinned" problems={findProblems("pinned")} />
            </div>
          )}
        </div>
        <Field form={form} at="askReason" />
      </div>
    </details>
  );
}
