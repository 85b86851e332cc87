"use client";

import { FlaskConical, GitCompareArrows, RotateCcw } from "lucide-react";
import { useState } from "react";
import { ReplayButton } from "@/app/_components/executions/summary/replay-button";
import { Button, ButtonLink } from "@/app/_ui/button";
import { onDemand } from "@/app/_ui/on-demand";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { getKind } from "@/lib/contract/execution-kind";
import { CopyMenu } from "./copy-menu";

const SaveTestDialog = onDemand(() => import("@/app/_components/suites/actions/save-test-dialog"), "SaveTestDialog");

export interface CallActionsProps {
  execution: ExecutionDetail;
  /** The comparison with another call; null where there is none to compare with. */
  comparePath: string | null;
  /** Replays it here; otherwise the page of the new call opens. */
  onReplay?: () => void;
}

/** Stands beside the result of a call: replay, compare, save as a test, copy. */
export function CallActions({ execution, comparePath, onReplay }: CallActionsProps) {
  return (
    <>
      {onReplay === undefined ? (
        <ReplayButton executionId={execution.id} />
      ) : (
        <Button icon={RotateCcw} needs="run" onClick={onReplay}>
          Replay
        </Button>
      )}
      {comparePath !== null && (
        <ButtonLink icon={GitCompareArrows} href={comparePath}>
          <span className="max-sm:sr-only">Compare</span>
        </ButtonLink>
      )}
      {isTestable(execution) && <SaveTestButton executionId={execution.id} />}
      <CopyMenu execution={execution} />
    </>
  );
}

/** A test is of a call that has ended. */
function isTestable(execution: ExecutionDetail): boolean {
  return getKind(execution) === "tool" && execution.status !== "running" && execution.status !== "waiting";
}

function SaveTestButton({ executionId }: { executionId: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button icon={FlaskConical} needs="edit" onClick={() => setOpen(true)}>
        <span className="max-sm:sr-only">Save as test</span>
      </Button>
      {open && <SaveTestDialog executionId={executionId} onClose={() => setOpen(false)} />}
    </>
  );
}
