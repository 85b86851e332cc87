"use client";

import { type FormEvent, useId, useMemo, useState } from "react";
import { ContentBlockView } from "@/app/_components/content/content-block";
import { ContentText } from "@/app/_components/content/content-text";
import { Button } from "@/app/_ui/button";
import { Input, Textarea } from "@/app/_ui/field";
import { useQuestionDraft } from "./question-store";
import { readSampling, type SamplingRequest } from "./read-sampling";
import { RefusalButtons } from "./refusal-buttons";
import type { Answering } from "./use-answer";

export interface SamplingQuestionProps {
  id: string;
  server: string;
  paramsText: string;
  answering: Answering;
}

/** A server wants a model's answer: the person reads what it would be given and writes the answer, or declines. */
export function SamplingQuestion({ id, server, paramsText, answering }: SamplingQuestionProps) {
  const request = useMemo(() => readSampling(paramsText), [paramsText]);
  const { draft, change } = useQuestionDraft(id);
  const [attempted, setAttempted] = useState(false);
  const base = useId();
  const missing = attempted && draft.text === "";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAttempted(true);
    if (answering.pending || draft.text === "") return;
    const model = draft.model.trim();
    answering.send({ action: "accept", text: draft.text, ...(model === "" ? {} : { model }) });
  };
  return (
    <form aria-label={`Reply to ${server}`} onSubmit={submit} className="flex min-w-0 flex-col gap-3">
      <p className="text-mute text-xs">
        No model is called. <span className="font-mono">{server}</span> receives your text as the model response.
      </p>
      {request === null ? <ContentText text={paramsText} label="Request" /> : <RequestView request={request} />}
      <div>
        <label htmlFor={`${base}-text`} className="mb-1 block font-medium">
          Response
        </label>
        <Textarea
          id={`${base}-text`}
          value={draft.text}
          rows={5}
          invalid={missing}
          aria-required
          aria-describedby={missing ? `${base}-fault` : undefined}
          disabled={answering.pending}
          onChange={(event) => change((before) => ({ ...before, text: event.target.value }))}
          className="resize-y"
        />
        {missing && (
          <p id={`${base}-fault`} className="mt-1 text-bad text-xs">
            Enter a response, or decline.
          </p>
        )}
      </div>
      <div>
        <label htmlFor={`${base}-model`} className="mb-1 block font-medium">
          Model <span className="font-normal text-mute text-xs">as reported to the server</span>
        </label>
        <Input
          id={`${base}-model`}
          value={draft.model}
          maxLength={200}
          placeholder="human"
          autoComplete="off"
          disabled={answering.pending}
          onChange={(event) => change((before) => ({ ...before, model: event.target.value }))}
        />
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" variant="primary" disabled={answering.pending}>
          {answering.pending ? "Sending…" : "Send response"}
        </Button>
        <RefusalButtons answering={answering} />
      </div>
    </form>
  );
}

/** Messages put on the page at once; the newest matter most. */
const MAX_MESSAGES = 20;

function RequestView({ request: { systemPrompt, messages, facts } }: { request: SamplingRequest }) {
  const [all, setAll] = useState(false);
  const shown = all ? messages : messages.slice(-MAX_MESSAGES);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {facts.length > 0 && (
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-xs">
          {facts.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-mute">{name}</dt>
              <dd className="font-mono [overflow-wrap:anywhere]">{value}</dd>
            </div>
          ))}
        </dl>
      )}
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
