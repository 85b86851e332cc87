"use client";

import { useState } from "react";
import { AccessNotice } from "@/app/_ui/access-notice";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { PendingInteraction } from "@/lib/contract/interaction";
import { FormQuestion } from "./form-question";
import { SamplingQuestion } from "./sampling-question";
import { UrlQuestion } from "./url-question";
import { useAnswer } from "./use-answer";

export interface QuestionCardProps {
  interaction: PendingInteraction;
  /** The call in whose panel it stands, which need not be named again. */
  callId?: string | undefined;
}

/** One question: who asks, about which call, in whose words, and the ways to answer. */
export function QuestionCard({ interaction, callId }: QuestionCardProps) {
  const { id, server, toolName, executionId, askedAt, request } = interaction;
  const answering = useAnswer(id);
  return (
    <article
      aria-label={`Request from ${server}`}
      data-status="waiting"
      className="min-w-0 rounded-lg border border-warn bg-panel"
    >
      <header className="flex flex-wrap items-center gap-x-2 gap-y-0.5 rounded-t-lg bg-warn-bg px-3 py-1.5 text-xs">
        <span className="font-medium text-warn">
          From{" "}
          <Link href={`/servers/${encodeURIComponent(server)}`} className="font-mono underline">
            {server}
          </Link>
        </span>
        {toolName === null && <Candidates interaction={interaction} callId={callId} />}
        {toolName !== null && callId === undefined && (
          <span className="min-w-0 [overflow-wrap:anywhere]">
            during{" "}
            {executionId === null ? (
              <span className="font-mono">{toolName}</span>
            ) : (
              <Link href={`/executions/${encodeURIComponent(executionId)}`} className="font-mono underline">
                {toolName}
              </Link>
            )}
          </span>
        )}
        <span className="ml-auto">
          Received <RelativeTime at={askedAt} />
        </span>
      </header>
      <div className="flex min-w-0 flex-col gap-3 p-3">
        <ServerMessage message={request.message} />
        <AccessNotice needs="run" />
        {request.kind === "form" && (
          <FormQuestion id={id} server={server} schema={request.schema} answering={answering} />
        )}
        {request.kind === "url" && <UrlQuestion server={server} url={request.url} answering={answering} />}
        {request.kind === "sampling" && (
          <SamplingQuestion id={id} server={server} paramsText={request.paramsText} answering={answering} />
        )}
        {answering.error !== null && (
          <Alert live tone="bad" title="Couldn't send the response">
            {answering.error}
          </Alert>
        )}
      </div>
    </article>
  );
}

/** The server did not name the call. */
function Candidates({ interaction: { candidates: calls = [] }, callId }: QuestionCardProps) {
  if (calls.length === 0) return <span title="The server did not name the call">for one of its running calls</span>;
  const others = calls.filter(({ executionId }) => executionId !== callId);
  return (
    <span className="min-w-0 [overflow-wrap:anywhere]" title="The server did not name the call">
      {others.length < calls.length ? "during this call or " : "during one of "}
      {others.map(({ executionId, toolName }, at) => (
        <span key={executionId}>
          {at > 0 && ", "}
          <Link href={`/executions/${encodeURIComponent(executionId)}`} className="font-mono underline">
            {toolName}
          </Link>
        </span>
      ))}
    </span>
  );
}

const FOLDED_CHARS = 1_500;
const MAX_CHARS = 50_000;

/** The server's words, marked as such by their place: nothing of them becomes markup. */
function ServerMessage({ message }: { message: string }) {
  const [whole, setWhole] = useState(false);
  if (message.trim() === "") return <p className="text-mute text-xs">The server sent no message.</p>;
  const shown = message.slice(0, whole ? MAX_CHARS : FOLDED_CHARS);
  return (
    <div className="flex flex-col items-start gap-1.5">
      <blockquote className="whitespace-pre-wrap border-line2 border-l-2 pl-2.5 [overflow-wrap:anywhere]">
        {shown}
        {shown.length < message.length && "…"}
      </blockquote>
      {!whole && shown.length < message.length && <Button onClick={() => setWhole(true)}>Show more</Button>}
    </div>
  );
}
