"use client";

import { useQuery } from "@tanstack/react-query";
import { DraftField } from "@/app/_kit/form/draft-field";
import { FieldProblems } from "@/app/_kit/form-field";
import { MultiSelect } from "@/app/_kit/multi-select";
import type { FieldProblems as Problems } from "@/app/_kit/problems";
import { useTRPC } from "@/app/_trpc/client";
import type { ToolsetDraft } from "./toolset-draft";

export interface SelectionFieldsProps {
  draft: ToolsetDraft;
  change: (part: Partial<ToolsetDraft>) => void;
  problems: Problems<string>;
}

/** What is chosen stays in the list when it has left the catalog, so that it can be taken out. */
export function toOptions(items: readonly { name: string }[] = [], chosen: readonly string[]) {
  const names = new Set([...items.map(({ name }) => name), ...chosen]);
  return [...names].map((name) => ({ value: name, label: name, mono: true }));
}

/** Which tools belong to the set: by name, by server, by pattern. */
export function SelectionFields({ draft, change, problems }: SelectionFieldsProps) {
  const trpc = useTRPC();
  const tools = useQuery(trpc.tools.list.queryOptions());
  const servers = useQuery(trpc.servers.list.queryOptions());
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">Tools</legend>
      <div className="mb-3 flex flex-wrap gap-2">
        <MultiSelect
          label="By name"
          options={toOptions(tools.data?.items, draft.tools)}
          value={draft.tools}
          onChange={(chosen) => change({ tools: chosen })}
        />
        <MultiSelect
          label="By server"
          options={toOptions(servers.data?.items, draft.servers)}
          value={draft.servers}
          onChange={(chosen) => change({ servers: chosen })}
        />
      </div>
      <FieldProblems id="toolset-selection" problems={[...(problems.tools ?? []), ...(problems.servers ?? [])]} />
      <DraftField
        field="patterns"
        label="By pattern"
        mono
        rows={2}
        placeholder="files__read_*"
        value={draft.patternsText}
        problems={problems.patterns ?? []}
        hint="One per line; * stands for any characters, ? for one. Tools that are added later and match belong to the set."
        onChange={(patternsText) => change({ patternsText })}
      />
    </fieldset>
  );
}
