"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { ClippedText } from "@/app/_kit/json-tree/clipped-text";
import { JsonTree } from "@/app/_kit/json-tree/json-tree";
import { useTRPC } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { CopyButton } from "@/app/_ui/copy-button";
import type { RunMessage } from "@/lib/contract/run";
import { CutTextBar, useCutText } from "./run-text";

export interface RawMessagesProps {
  runId: string;
  step: number;
  /** The newest ones, oldest first. */
  messages: readonly RunMessage[];
  /** The number of messages in the whole request. */
  count: number;
}

/** The newest are what one looks for. */
const UNFOLDED = 6;

/** Messages of a request, each as JSON. */
export function RawMessages({ runId, step, messages, count }: RawMessagesProps) {
  return (
    <ol aria-label="Messages" className="flex min-w-0 flex-col gap-2">
      {messages.map((message) => (
        <li key={message.position}>
          <MessageView runId={runId} step={step} message={message} open={message.position > count - UNFOLDED} />
        </li>
      ))}
    </ol>
  );
}

const ROLE_TONES = { system: "warn", user: "neutral", assistant: "accent", tool: "ok" } as const;

interface MessageViewProps {
  runId: string;
  step: number;
  message: RunMessage;
  open: boolean;
}

function MessageView({ runId, step, message, open }: MessageViewProps) {
  const { position, role, summary } = message;
  const [unfolded, setUnfolded] = useState(open);
  const panelId = useId();
  const whole = useMessageText(runId, step, message);
  return (
    <article aria-label={`Message ${position}, ${role}`} className="rounded-lg border border-line bg-panel">
      <div className="flex items-center gap-2 pr-1">
        <button
          type="button"
          aria-expanded={unfolded}
          aria-controls={panelId}
          onClick={() => setUnfolded(!unfolded)}
          className="-outline-offset-2 flex min-w-0 flex-1 items-center gap-2 rounded-lg px-2.5 py-1.5 text-left"
        >
          <span className="w-6 shrink-0 font-mono text-2xs text-faint">{position}</span>
          <Badge tone={ROLE_TONES[role]}>{role}</Badge>
          <span className="min-w-0 truncate font-mono text-mute text-xs">{summary}</span>
        </button>
        {whole.rest === 0 && <CopyButton text={whole.text} label={`Copy message ${position}`} />}
      </div>
      <div id={panelId} hidden={!unfolded} className="border-line border-t p-2.5">
        {unfolded &&
          (whole.rest === 0 ? (
            <JsonTree text={whole.text} label={`Message ${position}`} />
          ) : (
            <ClippedText text={whole.text} label={`Message ${position}`} />
          ))}
        {unfolded && <CutTextBar cut={whole} label={`message ${position}`} />}
      </div>
    </article>
  );
}

function useMessageText(id: string, step: number, { position, text, chars }: RunMessage) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return useCutText(text, chars, (offset) =>
    queryClient.fetchQuery(trpc.runs.messageText.queryOptions({ id, step, position, offset }, { gcTime: 0 })),
  );
}
