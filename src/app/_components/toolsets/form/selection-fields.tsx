"use client";

import { useQuery } from "@tanstack/react-query";
import { Field } from "@/app/_kit/form/field";
import type { FormState } from "@/app/_kit/form/use-form";
import { FieldProblems } from "@/app/_kit/form-field";
import { MultiSelect } from "@/app/_kit/multi-select";
import { useTRPC } from "@/app/_trpc/client";
import type { ToolsetPreview } from "@/lib/contract/toolset";
import type { ToolsetDraft } from "./toolset-fields";

export interface SelectionFieldsProps {
  form: FormState<ToolsetDraft>;
}

/** Selected names stay in the list when they have left the catalog, so that they can be removed. */
function toOptions(items: readonly { name: string }[] = [], chosen: readonly string[]) {
  const names = new Set([...items.map(({ name }) => name), ...chosen]);
  return [...names].map((name) => ({ value: name, label: name, mono: true }));
}

/** Selects the tools of the set: by name, by server, by pattern. */
export function SelectionFields({ form }: SelectionFieldsProps) {
  const { draft, change, findProblems } = form;
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
      <FieldProblems id="toolset-selection" problems={[...findProblems("tools"), ...findProblems("servers")]} />
      <Field form={form} at="patterns" label="By pattern" />
    </fieldset>
  );
}

/** Chooses what clients get beside the tools, and how they get the tools. */
export function OptionFields({ form, preview }: SelectionFieldsProps & { preview: ToolsetPreview | null }) {
  const { draft, change, findProblems } = form;
  const trpc = useTRPC();
  const servers = useQuery(trpc.servers.list.queryOptions());
  const tools = preview?.tools.map(({ tool }) => ({ name: tool }));
  return (
    <>
      <fieldset className="min-w-0">
        <legend className="mb-1 font-medium">Resources and prompts</legend>
        <div className="flex flex-wrap items-center gap-2">
          <MultiSelect
            label="Of servers"
            options={toOptions(servers.data?.items, draft.contents)}
            value={draft.contents}
            onChange={(contents) => change({ contents })}
          />
          <span className="text-mute text-xs">
            {draft.contents.length === 0 ? "Clients get tools only." : "Clients also get what these servers offer."}
          </span>
        </div>
      </fieldset>
      <fieldset className="flex min-w-0 flex-col gap-2">
        <legend className="mb-1 font-medium">Options</legend>
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
        <Field form={form} at="askReason" />
      </fieldset>
    </>
  );
}
