import { ArrowUpRight, History, Plus, SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import type { RunState } from "@/app/_components/runs/detail/run-state";
import { toCompareRunsPath } from "@/app/_components/runs/summary/compare-path";
import { RunBadge } from "@/app/_components/runs/summary/run-badge";
import { Button, buttonClass } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { PageHeader } from "@/app/_ui/page-header";

const ConversationsDialog = onDemand(() =>
  import("./conversations-dialog").then((module) => module.ConversationsDialog),
);

interface PlaygroundHeaderProps {
  state: RunState | null;
  runId: string | null;
  stopping: boolean;
  modelLabel: string;
  onSettings: () => void;
}

export function PlaygroundHeader({ state, runId, stopping, modelLabel, onSettings }: PlaygroundHeaderProps) {
  const [listOpen, setListOpen] = useState(false);
  return (
    <PageHeader
      title={state === null || state.detail.title === "" ? "Playground" : state.detail.title}
      badges={state !== null && <RunBadge run={state.detail} stopping={stopping} />}
      actions={
        <>
          <Button onClick={onSettings} className="max-w-48 lg:hidden" aria-label={`Settings, model ${modelLabel}`}>
            <SlidersHorizontal aria-hidden size={13} strokeWidth={1.6} />
            <span className="truncate">{modelLabel}</span>
          </Button>
          <Button aria-haspopup="dialog" onClick={() => setListOpen(true)}>
            <History aria-hidden size={13} strokeWidth={1.6} />
            <span className="max-sm:sr-only">Conversations</span>
          </Button>
          {listOpen && <ConversationsDialog runId={runId} onClose={() => setListOpen(false)} />}
          {state !== null && state.detail.parentId !== null && (
            <Link href={toCompareRunsPath(state.detail.parentId, state.detail.id)} className={buttonClass()}>
              Compare <span className="max-sm:hidden">with original</span>
            </Link>
          )}
          {runId !== null && (
            <>
              <Link href={`/runs/${encodeURIComponent(runId)}`} className={buttonClass()}>
                Open run
                <ArrowUpRight aria-hidden size={13} strokeWidth={1.6} />
              </Link>
              <Link href="/playground" className={buttonClass()}>
                <Plus aria-hidden size={13} strokeWidth={1.6} />
                New
                <span className="max-sm:hidden">conversation</span>
              </Link>
            </>
          )}
        </>
      }
    />
  );
}
