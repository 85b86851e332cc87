"use client";

import { type FormEvent, useId, useMemo, useRef, useState } from "react";
import { Button } from "@/app/_ui/button";
import { JsonText } from "@/app/_ui/json-text";
import type { JsonSchema } from "@/lib/contract";
import { formatPlural } from "@/lib/format";
import { QuestionFieldView } from "./question-field";
import { type FieldDraft, questionFields } from "./question-fields";
import { useQuestionDraft } from "./question-store";
import { readForm } from "./read-form";
import { RefusalButtons } from "./refusal-buttons";
import type { Answering } from "./use-answer";

export interface FormQuestionProps {
  id: string;
  server: string;
  schema: JsonSchema;
  answering: Answering;
}

/** The fields that a server asks for. What is shown under them is what is sent. */
export function FormQuestion({ id, server, schema, answering }: FormQuestionProps) {
  const { draft, change } = useQuestionDraft(id);
  const fields = useMemo(() => questionFields(schema), [schema]);
  const { content, faults } = useMemo(() => readForm(fields, draft), [fields, draft]);
  const [attempted, setAttempted] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const idBase = useId();

  const set = (name: string, value: FieldDraft) =>
    change((before) => ({ ...before, fields: new Map(before.fields).set(name, value) }));
  const setSentEmpty = (name: string, sent: boolean) =>
    change((before) => {
      const sentEmpty = new Set(before.sentEmpty);
      if (sent) sentEmpty.add(name);
      else sentEmpty.delete(name);
      return { ...before, sentEmpty };
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAttempted(true);
    if (answering.pending) return;
    if (faults.size === 0) return answering.send({ action: "accept", content });
    const first = fields.findIndex((field) => faults.has(field.name));
    form.current?.querySelector<HTMLElement>(`[id="${idBase}-${first}"]`)?.focus();
  };

  return (
    <form ref={form} noValidate aria-label={`Reply to ${server}`} onSubmit={submit} className="flex flex-col gap-3">
      {fields.map((field, index) => (
        <QuestionFieldView
          key={field.name}
          id={`${idBase}-${index}`}
          field={field}
          draft={draft.fields.get(field.name) ?? field.initial}
          touched={attempted || draft.fields.has(field.name)}
          fault={faults.get(field.name) ?? null}
          sentEmpty={draft.sentEmpty.has(field.name)}
          disabled={answering.pending}
          onChange={(value) => set(field.name, value)}
          onSentEmpty={(sent) => setSentEmpty(field.name, sent)}
        />
      ))}
      {fields.length === 0 && <p className="text-mute text-xs">It asks for no values: submit to agree, or decline.</p>}
      <p className="text-mute text-xs">
        Do not type passwords or keys: <span className="font-mono">{server}</span> sees what you send.
      </p>
      {fields.length > 0 && (
        <details className="text-xs">
          <summary className="w-fit rounded-sm text-mute hover:text-text">Will be sent</summary>
          <JsonText
            text={JSON.stringify(content, null, 2)}
            label="Answer that will be sent"
            wrap
            className="mt-1 max-h-44"
          />
        </details>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" variant="primary" disabled={answering.pending}>
          {answering.pending ? "Sending…" : "Submit"}
        </Button>
        <RefusalButtons answering={answering} />
        {attempted && faults.size > 0 && (
          <span role="status" className="text-bad text-xs">
            {formatPlural(faults.size, "answer")} to mend
          </span>
        )}
      </div>
    </form>
  );
}
