import { type FormEvent, useId, useState } from "react";
import { Button } from "@/app/_ui/button";
import { Input, Textarea } from "@/app/_ui/field";
import { useQuestionDraft } from "./question-store";
import { RefusalButtons } from "./refusal-buttons";
import { SamplingRequestView } from "./summary/sampling-request-view";
import type { Answering } from "./use-answer";

interface SamplingQuestionProps {
  id: string;
  server: string;
  paramsText: string;
  answering: Answering;
}

/** A server wants a model's answer: the user reads what it would be given and writes the answer, or declines. */
export function SamplingQuestion({ id, server, paramsText, answering }: SamplingQuestionProps) {
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
      <SamplingRequestView paramsText={paramsText} />
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
        <Button needs="run" type="submit" variant="primary" disabled={answering.pending}>
          {answering.pending ? "Sending…" : "Send response"}
        </Button>
        <RefusalButtons answering={answering} />
      </div>
    </form>
  );
}
