import { type ReactNode, useCallback, useState } from "react";
import { onDemand } from "@/app/_ui/on-demand";
import { readMessageText } from "@/lib/contract/chat";
import type { RunEvent } from "@/lib/contract/run";
import type { RunState } from "./run-state";

const RerunDialog = onDemand(() => import("./rerun-dialog"), "RerunDialog");

export interface Rerun {
  /** Opens the dialog. @param message the message that the step answers, to be edited */
  rerun: (step: number, message?: string) => void;
  /** Opens the dialog from the newest message; undefined where no response to it began. */
  rerunLast: (() => void) | undefined;
  dialog: ReactNode;
}

/** Reruns a run from one of its steps. */
export function useRerun(state: RunState | null): Rerun {
  const [from, setFrom] = useState<{ step: number; message: string | undefined } | null>(null);
  const rerun = useCallback((step: number, message?: string): void => setFrom({ step, message }), []);
  const last = state === null ? null : findLastPrompt(state.events);
  const dialog = state !== null && from !== null && (
    <RerunDialog detail={state.detail} fromStep={from.step} message={from.message} onClose={() => setFrom(null)} />
  );
  return { rerun, rerunLast: last === null ? undefined : () => rerun(last.step, last.message), dialog };
}

/** The newest message, absent where it is not here whole or has media, and the step that begins to answer it. */
function findLastPrompt(events: readonly RunEvent[]): { step: number; message: string | undefined } | null {
  const at = events.findLastIndex(({ type }) => type === "user_message");
  const started = events.find((event, index) => index > at && event.type === "model_started");
  if (started?.type !== "model_started") return null;
  const sent = events[at];
  const isText =
    sent?.type === "user_message" &&
    sent.cut === undefined &&
    sent.message.contents.every(({ type }) => type === "text");
  return { step: started.step, message: isText ? readMessageText(sent.message) : undefined };
}
