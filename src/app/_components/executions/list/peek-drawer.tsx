"use client";

import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronUp } from "lucide-react";
import type { KeyboardEvent } from "react";
import { ResultPanel } from "@/app/_components/executions/result/result-panel";
import { ArgumentsBlock } from "@/app/_components/executions/summary/arguments-block";
import { formatExecutionOrigin } from "@/app/_components/executions/summary/execution-origin";
import { ReplayButton } from "@/app/_components/executions/summary/replay-button";
import { useExecution } from "@/app/_components/executions/summary/use-execution";
import { useSingleKeys } from "@/app/_kit/preferences-provider";
import { QueryState } from "@/app/_kit/query-state";
import { hasModifier } from "@/app/_kit/shortcuts";
import { useTRPC } from "@/app/_trpc/client";
import { buttonClass, IconButton } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import { Link } from "@/app/_ui/link";
import { formatTitle } from "@/lib/contract/execution-kind";

export interface PeekDrawerProps {
  executionId: string;
  onClose: () => void;
  /** Shows the next row of the list, or the one before. */
  onMove: (by: 1 | -1) => void;
  /** Takes the focus back to the list. */
  onCloseFocus: () => void;
}

const FIELDS = 'input, textarea, select, [contenteditable="true"]';

/** One call beside the list, without leaving it. */
export function PeekDrawer({ executionId, onClose, onMove, onCloseFocus }: PeekDrawerProps) {
  const trpc = useTRPC();
  const singleKeys = useSingleKeys();
  const known = useQuery({ ...trpc.executions.get.queryOptions({ id: executionId }), enabled: false });
  function onKeyDown(event: KeyboardEvent): void {
    const by = event.key === "j" ? 1 : event.key === "k" ? -1 : null;
    if (by === null || !singleKeys || hasModifier(event)) return;
    if (event.target instanceof Element && event.target.closest(FIELDS) !== null) return;
    event.preventDefault();
    onMove(by);
  }

  return (
    <Dialog
      onKeyDown={onKeyDown}
      onCloseFocus={onCloseFocus}
      actions={
        <span className="-my-0.5 flex">
          <IconButton label="Previous execution" aria-keyshortcuts="k" onClick={() => onMove(-1)}>
            <ChevronUp aria-hidden size={15} strokeWidth={1.6} />
          </IconButton>
          <IconButton label="Next execution" aria-keyshortcuts="j" onClick={() => onMove(1)}>
            <ChevronDown aria-hidden size={15} strokeWidth={1.6} />
          </IconButton>
        </span>
      }
      onClose={onClose}
      side="right"
      title={known.data ? formatTitle(known.data) : "Execution"}
      description={<span className="font-mono text-xs">{executionId}</span>}
    >
      <PeekContent executionId={executionId} />
    </Dialog>
  );
}

function PeekContent({ executionId }: { executionId: string }) {
  return (
    <QueryState query={useExecution(executionId)} what="the execution" bars={["h-16", "h-40"]}>
      {(execution) => (
        <div className="-m-4 flex flex-col">
          <div className="flex flex-col gap-3 p-4">
            <p className="text-mute text-xs">
              {formatExecutionOrigin(execution)} · {execution.actor.name}
            </p>
            <ArgumentsBlock execution={execution} />
          </div>
          <div className="border-line border-t">
            <ResultPanel
              key={execution.id}
              execution={execution}
              actions={
                <>
                  <ReplayButton executionId={execution.id} />
                  <Link href={`/executions/${execution.id}`} className={buttonClass({ variant: "primary" })}>
                    Open
                  </Link>
                </>
              }
            />
          </div>
        </div>
      )}
    </QueryState>
  );
}
