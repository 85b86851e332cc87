"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { MultiSelect } from "@/app/_kit/multi-select";
import { useTRPC } from "@/app/_trpc/client";
import { CHECKBOX } from "@/app/_ui/checkbox";
import type { ToolsetPreview } from "@/lib/contract/toolset";
import { toOptions } from "./selection-fields";
import type { ToolsetDraft } from "./toolset-draft";

export interface OptionFieldsProps {
  draft: ToolsetDraft;
  change: (part: Partial<ToolsetDraft>) => void;
  preview: ToolsetPreview | null;
}

export function OptionFields({ draft, change, preview }: OptionFieldsProps) {
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
        <Option
          label="Discovery"
          hint="Clients get search_tools and call_tool instead of every definition, and the tools that are pinned."
          checked={draft.discovery}
          onChange={(discovery) => change({ discovery })}
        >
          {draft.discovery && (
            <MultiSelect
              label="Pinned"
              options={toOptions(tools, draft.pinned)}
              value={draft.pinned}
              onChange={(pinned) => change({ pinned })}
            />
          )}
        </Option>
        <Option
          label="Ask for a reason"
          hint="Adds the optional argument “reason” to every tool. It is stored with the execution and not sent to the tool."
          checked={draft.askReason}
          onChange={(askReason) => change({ askReason })}
        />
      </fieldset>
    </>
  );
}

interface OptionProps {
  label: string;
  hint: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  children?: ReactNode;
}

function Option({ label, hint, checked, onChange, children }: OptionProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-2">
      <input
        id={id}
        type="checkbox"
        aria-describedby={`${id}-hint`}
        checked={checked}
        onChange={({ target }) => onChange(target.checked)}
        className={CHECKBOX}
      />
      <div className="min-w-0 flex-1 pt-0.5">
        <label htmlFor={id}>{label}</label>
        <p id={`${id}-hint`} className="mb-1 text-mute text-xs">
          {hint}
        </p>
        {children}
      </div>
    </div>
  );
}
