"use client";

import { type FormEvent, useId, useState } from "react";
import { ArgumentsEditor } from "@/app/_kit/arguments-editor/arguments-editor";
import { FormFields } from "@/app/_kit/arguments-editor/arguments-form";
import { payloadText } from "@/app/_kit/arguments-editor/arguments-state";
import { focusField } from "@/app/_kit/arguments-editor/focus-field";
import { useArgumentVerdict } from "@/app/_kit/arguments-editor/use-argument-verdict";
import { useTRPCClient } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { JsonText } from "@/app/_ui/json-text";
import type { Fault } from "@/lib/contract/envelope";
import type { JsonSchema } from "@/lib/contract/json";
import { formatPlural } from "@/lib/format";
import { parsePointer } from "@/lib/json/json-pointer";
import { describeField } from "@/lib/schema/describe/describe-field";
import { getAt } from "@/lib/schema/value-at";
import { useFormDraft } from "./question-store";
import { RefusalButtons } from "./refusal-buttons";
import type { Answering } from "./use-answer";

export interface FormQuestionProps {
  id: string;
  server: string;
  schema: JsonSchema;
  answering: Answering;
}

/** The fields that a server requests, with a preview of the answer. */
export function FormQuestion({ id, server, schema, answering }: FormQuestionProps) {
  const client = useTRPCClient();
  const idPrefix = useId();
  const [state, dispatch] = useFormDraft(id, schema);
  const [attempted, setAttempted] = useState(false);
  const [checking, setChecking] = useState(false);
  const text = payloadText(state);
  const verdict = useArgumentVerdict([id], text, (content) =>
    client.interactions.validate.mutate({ id, content: JSON.parse(content) }),
  );
  const isChanged = ({ pointer }: Fault) => {
    const path = parsePointer(pointer);
    return getAt(state.value, path) !== getAt(state.initial.value, path);
  };
  const faults = verdict.faults.filter((fault) => attempted || isChanged(fault));
  const problems = state.drafts.size + faults.length;
  const isEmpty = describeField(schema, schema).properties.length === 0;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setAttempted(true);
    if (answering.pending || checking) return;
    if (text === null) {
      for (const pointer of state.drafts.keys()) if (focusField(idPrefix, pointer)) break;
      return;
    }
    setChecking(true);
    // Without an answer here, sending the form reports the problem.
    const { faults: found } = await verdict.check(text).catch(() => ({ faults: [] }));
    setChecking(false);
    const [first] = found;
    if (first === undefined) answering.send({ action: "accept", content: JSON.parse(text) });
    else focusField(idPrefix, first.pointer);
  };
  const form = { schema, state, dispatch, faults, disabled: answering.pending, idPrefix };
  return (
    <form noValidate aria-label={`Reply to ${server}`} onSubmit={submit} className="flex flex-col gap-3">
      {isEmpty && <p className="text-mute text-xs">No input requested. Submit to accept, or decline.</p>}
      {!isEmpty && state.formLimit === null && <FormFields {...form} purpose="answer" />}
      {state.formLimit !== null && <ArgumentsEditor {...form} />}
      <p className="text-mute text-xs">
        Don't enter passwords or API keys: <span className="font-mono">{server}</span> receives what you send.
      </p>
      {!isEmpty && text !== null && (
        <details className="text-xs">
          <summary className="w-fit rounded-sm text-mute hover:text-text">Response body</summary>
          <JsonText text={text} label="Exact response body" wrap className="mt-1 max-h-44" />
        </details>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button needs="run" type="submit" variant="primary" disabled={answering.pending}>
          {answering.pending ? "Sending…" : "Submit"}
        </Button>
        <RefusalButtons answering={answering} />
        {attempted && problems > 0 && (
          <span role="status" className="text-bad text-xs">
            {formatPlural(problems, "problem")} to fix
          </span>
        )}
      </div>
    </form>
  );
}
