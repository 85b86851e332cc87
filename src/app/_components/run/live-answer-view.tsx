import { Wrench } from "lucide-react";
import { JsonText } from "@/app/_ui/json-text";
import { StatusBadge } from "@/app/_ui/status-badge";
import { Elapsed } from "./call-card";
import { ModelText } from "./model-text";
import { Reasoning } from "./reasoning";
import type { LiveAnswer } from "./run-state";

export interface LiveAnswerViewProps {
  live: LiveAnswer | null;
  since: number;
  /** A person pressed Stop: nothing more is shown as coming. */
  stopping: boolean;
}

/** Of arguments that are being written, the end is what moves. */
const SHOWN_CHARS = 4_000;

/** What the model is saying now. */
export function LiveAnswerView({ live, since, stopping }: LiveAnswerViewProps) {
  const silent = live === null || (live.text === "" && live.calls.length === 0);
  return (
    <div aria-busy={!stopping} className="flex min-w-0 flex-col gap-2">
      {live !== null && live.retried !== null && (
        <p className="text-mute text-xs">The model is asked again: {live.retried}</p>
      )}
      {live !== null && live.reasoning !== "" && <Reasoning text={live.reasoning} growing={live.text === ""} />}
      {live !== null && live.text !== "" && <ModelText text={live.text} growing />}
      {live?.calls.map((call) => (
        <article
          key={call.callId}
          aria-label={`Call of ${call.name}`}
          data-status="idle"
          className="min-w-0 rounded-lg border border-line border-dashed bg-panel"
        >
          <div className="flex items-center gap-2 py-1.5 pr-1.5 pl-2">
            <Wrench aria-hidden size={13} strokeWidth={1.6} className="shrink-0 text-mute" />
            <span className="min-w-0 truncate font-medium font-mono text-xs">{call.name}</span>
            <StatusBadge status="idle" label="being written" className="ml-auto" />
          </div>
          {call.argumentsText !== "" && (
            <JsonText
              wrap
              label={`Arguments of ${call.name}, being written`}
              text={call.argumentsText.slice(-SHOWN_CHARS)}
              className="max-h-40 border-line border-t px-2.5 py-1.5"
            />
          )}
        </article>
      ))}
      {silent && !stopping && (
        <p className="flex items-center gap-2 text-mute text-xs">
          <span aria-hidden className="size-1.5 animate-pulse rounded-full bg-accent" />
          {live !== null && live.reasoning !== "" ? "Thinking" : "Waiting for the model"}
          <Elapsed since={since} />
        </p>
      )}
    </div>
  );
}
