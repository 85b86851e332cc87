"use client";

import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { NativeSelect } from "@/app/_ui/field";
import { Segmented } from "@/app/_ui/segmented";
import { Skeleton } from "@/app/_ui/skeleton";
import type { ToolSelection } from "@/lib/contract/run";
import { formatCount } from "@/lib/format";
import { countChosen } from "./tool-selection";

const ToolList = lazy(() => import("./tool-list").then((module) => ({ default: module.ToolList })));

export interface ToolPickerProps {
  value: ToolSelection;
  /** Name of the model provider. */
  provider: string;
  onChange: (value: ToolSelection) => void;
}

/** Chooses the tools that the model is offered: all, none, some of them, or those of a toolset. */
export function ToolPicker({ value, provider, onChange }: ToolPickerProps) {
  const trpc = useTRPC();
  const choices = useQuery(trpc.models.choices.queryOptions());
  const maxTools = choices.data?.items.find((choice) => choice.provider === provider)?.maxTools ?? null;
  const { data, error } = useQuery(trpc.tools.list.queryOptions());
  const tools = data?.items.filter((tool) => tool.enabled && tool.appOnly !== true) ?? [];
  const toolsets = useQuery(trpc.toolsets.list.queryOptions());
  const set = value.mode === "toolset" ? toolsets.data?.find(({ name }) => name === value.toolset) : undefined;
  const chosen = value.mode === "toolset" ? (set?.toolCount ?? 0) : countChosen(value, tools);
  // With discovery a request has two definitions and the pinned ones.
  const sent = set?.discovery === true ? 0 : chosen;
  const choose = (mode: ToolSelection["mode"]): void => {
    const [first] = toolsets.data ?? [];
    if (mode === value.mode) return;
    if (mode === "some") onChange({ mode, tools: [], servers: [] });
    else if (mode !== "toolset") onChange({ mode });
    else if (first !== undefined) onChange({ mode, toolset: first.name });
  };
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Segmented
          label="Tools"
          value={value.mode}
          options={[
            { value: "all", label: "All" },
            { value: "some", label: "Some" },
            { value: "toolset", label: "Toolset", disabled: toolsets.data === undefined || toolsets.data.length === 0 },
            { value: "none", label: "None" },
          ]}
          onChange={choose}
        />
        {data && (
          <span className="whitespace-nowrap text-mute text-xs tabular-nums">
            {formatCount(chosen)} of {formatCount(tools.length)}
          </span>
        )}
      </div>
      {value.mode === "toolset" && (
        <NativeSelect
          aria-label="Toolset"
          value={value.toolset}
          onChange={({ target }) => onChange({ mode: "toolset", toolset: target.value })}
          options={[...new Set([...(toolsets.data ?? []).map(({ name }) => name), value.toolset])].map((name) => [
            name,
            name,
          ])}
        />
      )}
      {value.mode === "toolset" && toolsets.data !== undefined && set === undefined && (
        <Alert tone="warn" title={`Toolset ${value.toolset} not found`}>
          It was renamed or deleted. Choose other tools.
        </Alert>
      )}
      {maxTools !== null && sent > maxTools && (
        <Alert tone="warn" title={`${formatCount(chosen)} tools selected`}>
          Provider {provider} accepts at most {formatCount(maxTools)} tools per request and may reject this one. Choose
          fewer tools.
        </Alert>
      )}
      {error !== null && <p className="text-bad text-xs">Couldn't load tools: {error.message}</p>}
      {value.mode === "some" && data && (
        <Suspense fallback={<Skeleton className="h-40" />}>
          <ToolList tools={tools} value={value} onChange={onChange} />
        </Suspense>
      )}
    </div>
  );
}
