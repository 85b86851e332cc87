"use client";

import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
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

/** Which tools the model is offered: all, none, or some of them. */
export function ToolPicker({ value, provider, onChange }: ToolPickerProps) {
  const trpc = useTRPC();
  const choices = useQuery(trpc.models.choices.queryOptions());
  const maxTools = choices.data?.items.find((choice) => choice.provider === provider)?.maxTools ?? null;
  const { data, error } = useQuery(trpc.tools.list.queryOptions());
  const tools = data?.items.filter((tool) => tool.enabled) ?? [];
  const chosen = countChosen(value, tools);
  const choose = (mode: ToolSelection["mode"]): void => {
    if (mode === value.mode) return;
    onChange(mode === "some" ? { mode, tools: [], servers: [] } : { mode });
  };
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex items-center gap-2">
        <Segmented
          label="Tools"
          value={value.mode}
          options={[
            { value: "all", label: "All" },
            { value: "some", label: "Some" },
            { value: "none", label: "None" },
          ]}
          onChange={choose}
        />
        {data && (
          <span className="text-mute text-xs tabular-nums">
            {formatCount(chosen)} of {formatCount(tools.length)}
          </span>
        )}
      </div>
      {maxTools !== null && chosen > maxTools && (
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
