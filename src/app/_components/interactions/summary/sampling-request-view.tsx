"use client";

import { useMemo, useState } from "react";
import { ContentBlockView } from "@/app/_components/content/content-block";
import { ContentText } from "@/app/_components/content/content-text";
import { Button } from "@/app/_ui/button";
import { FactList } from "@/app/_ui/fact-list";
import { readSampling, type SamplingRequest } from "./read-sampling";

/** Messages put on the page at once; the newest matter most. */
const MAX_MESSAGES = 20;

/** Shows a server's request for a model response. Its text is untrusted. */
export function SamplingRequestView({ paramsText }: { paramsText: string }) {
  const request = useMemo(() => readSampling(paramsText), [paramsText]);
  return request === null ? <ContentText text={paramsText} label="Request" /> : <RequestParts request={request} />;
}

function RequestParts({ request: { systemPrompt, messages, facts } }: { request: SamplingRequest }) {
  const [all, setAll] = useState(false);
  const shown = all ? messages : messages.slice(-MAX_MESSAGES);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {facts.length > 0 && <FactList facts={facts} className="gap-x-3! gap-y-0.5! text-xs" />}
      {systemPrompt !== null && (
        <section aria-label="System prompt">
          <p className="mb-1 font-medium text-xs">System prompt</p>
          <ContentText text={systemPrompt} label="System prompt" />
        </section>
      )}
      {shown.length < messages.length && (
        <Button onClick={() => setAll(true)} className="self-start">
          Show {messages.length - shown.length} earlier messages
        </Button>
      )}
      <ol aria-label="Messages" className="flex min-w-0 flex-col gap-2">
        {shown.map((message) => (
          <li key={message.key} className="min-w-0">
            <p className="mb-1 font-medium text-xs">{message.role.slice(0, 50)}</p>
            <div className="flex flex-col gap-2">
              {message.blocks.map((block) => (
                <ContentBlockView
                  key={block.key}
                  block={block}
                  name={`Message ${Number(message.key) + 1}, block ${Number(block.key) + 1}`}
                />
              ))}
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}
