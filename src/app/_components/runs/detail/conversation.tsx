import { useMemo } from "react";
import { formatCost } from "@/app/_components/runs/summary/run-figure-words";
import type { OutgoingMessage, RunEvent, RunStatus } from "@/lib/contract/run";
import { buildTurns, type RunTurn, type TurnEnd } from "@/lib/run/build-turns";
import { OlderEventsButton } from "./older-events-button";
import { isLive, type RunState } from "./run-state";
import { MessageContext, TurnView, UserMessage } from "./turn-view";
import type { OlderEvents } from "./use-run";
import type { useRunActions } from "./use-run-actions";

interface ConversationProps {
  state: RunState;
  older: OlderEvents;
  actions: Pick<ReturnType<typeof useRunActions>, "stopping" | "resume" | "resuming">;
  /** Sent, and not in the log yet. */
  pending?: OutgoingMessage | null;
  /** Absent where nothing is rerun. */
  onRerun?: ((step: number, message?: string) => void) | undefined;
}

const NO_EXECUTIONS = new Map<string, never>();

/** A run as a conversation. */
export function Conversation({ state, older, actions, pending = null, onRerun }: ConversationProps) {
  const { stopping, resume, resuming } = actions;
  const { detail, events, live, executions } = state;
  const { status, error, parentId, startedAt } = detail;
  const going = isLive(status);
  const turns = useMemo(
    () => endedTurns(buildTurns(events, { parentId, startedAt }), events, status, error),
    [events, parentId, startedAt, status, error],
  );
  return (
    <>
      <OlderEventsButton older={older} />
      {turns.map(({ turn, end }, at) => {
        const last = at === turns.length - 1;
        return (
          <TurnView
            key={turn.key}
            runId={detail.id}
            turn={turn}
            position={at + 1}
            live={last ? live : null}
            stopping={last && stopping}
            executions={last ? executions : NO_EXECUTIONS}
            end={end}
            costText={last ? costText(detail.cost, turns.length) : null}
            onRerun={going ? undefined : onRerun}
            onResume={last && detail.resumable && !going && pending === null ? resume : undefined}
            resuming={last && resuming}
          />
        );
      })}
      {pending !== null && <PendingMessage message={pending} />}
    </>
  );
}

interface EndedTurn {
  turn: RunTurn;
  end: TurnEnd | null;
}

/** The ended turns. A turn whose process died has no end in the log: the run's state shows it. */
function endedTurns(
  turns: readonly RunTurn[],
  events: readonly RunEvent[],
  status: RunStatus,
  error: string | null,
): EndedTurn[] {
  return turns.map((turn, position) => {
    if (turn.end !== null) return { turn, end: turn.end };
    const next = turns[position + 1];
    const at =
      (next === undefined ? events.at(-1) : events.find(({ index }) => index === next.key - 1))?.at ?? turn.startedAt;
    // A rerun copies no ends of turns.
    if (next !== undefined && turn.takenOver === "all") return { turn, end: { status: "succeeded", error: null, at } };
    if (next !== undefined) return { turn, end: { status: "interrupted", error: null, at } };
    if (status === "running" || status === "waiting") return { turn, end: null };
    return { turn, end: { status, error, at } };
  });
}

/** Prices belong to the run, so the cost is that of a turn only where there is one. */
function costText(cost: number | null, turnCount: number): string | null {
  if (cost === null) return null;
  return turnCount === 1 ? formatCost(cost) : `${formatCost(cost)} the whole run`;
}

/** Shows a message that was just sent, until the server has it. */
export function PendingMessage({ message: { text, appContext } }: { message: OutgoingMessage }) {
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <MessageContext contexts={appContext} />
      <UserMessage message={{ role: "user", contents: [{ type: "text", text }] }} />
      <p className="flex items-center gap-2 text-mute text-xs">
        <span aria-hidden className="size-1.5 animate-pulse rounded-full bg-accent" />
        Sending
      </p>
    </div>
  );
}
