"use client";

import { useId, useRef } from "react";
import { describedBy, FieldProblems, hintId } from "@/app/_kit/form-field";
import { Button } from "@/app/_ui/button";
import { Textarea } from "@/app/_ui/field";
import { Segmented } from "@/app/_ui/segmented";
import type { ConditionField, ConditionProblem } from "@/lib/contract/call-rule";
import { MAX_CONDITION_CHARS } from "@/lib/contract/call-rule-words";
import { readCondition } from "@/lib/rules/condition-text";
import { ConditionRows } from "./condition-rows";
import { type ConditionDraft, toConditionText } from "./rule-fields";

export interface ConditionEditorProps {
  draft: ConditionDraft;
  onChange: (draft: ConditionDraft) => void;
  /** Arguments of the tools in scope. */
  fields: readonly ConditionField[];
  /** The problems of the text with their places; empty until the server has checked it. */
  found: readonly ConditionProblem[];
  /** A user has tried to save, so incomplete rows are marked. */
  attempted: boolean;
  /** Why the last attempt to save was refused. */
  problems: readonly string[];
}

/** A condition as rows or as CEL text. Both edit the same text. */
export function ConditionEditor({ draft, onChange, fields, found, attempted, problems }: ConditionEditorProps) {
  const text = toConditionText(draft);
  const form = draft.mode === "builder" ? draft.form : readCondition(draft.text);
  function changeMode(mode: ConditionDraft["mode"]): void {
    if (mode === "text") onChange({ mode, text });
    else if (form !== null) onChange({ mode, form });
  }
  return (
    <section aria-label="Condition" className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="font-medium">Condition</h2>
        {form === null && <span className="text-mute text-xs">The builder cannot show this condition.</span>}
        <Segmented
          label="Edit the condition as"
          className="ml-auto"
          value={draft.mode}
          options={[
            { value: "builder", label: "Builder", disabled: form === null },
            { value: "text", label: "Text" },
          ]}
          onChange={changeMode}
        />
      </div>
      {draft.mode === "builder" ? (
        <>
          <ConditionRows
            form={draft.form}
            onChange={(next) => onChange({ mode: "builder", form: next })}
            fields={fields}
            found={found}
            attempted={attempted}
          />
          {text !== "" && (
            <code className="block max-w-full truncate font-mono text-mute text-xs" title={text}>
              {text}
            </code>
          )}
          {!attempted && <FieldProblems id="condition-rows" problems={problems} />}
        </>
      ) : (
        <ConditionTextarea
          text={draft.text}
          onChange={(typed) => onChange({ mode: "text", text: typed })}
          found={found}
          problems={problems}
        />
      )}
    </section>
  );
}

interface ConditionTextareaProps extends Pick<ConditionEditorProps, "found" | "problems"> {
  text: string;
  onChange: (text: string) => void;
}

function ConditionTextarea({ text, onChange, found, problems }: ConditionTextareaProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  // The server checks the text without the space around it.
  const offset = text.length - text.trimStart().length;
  const isInvalid = found.length > 0 || problems.length > 0;
  const showPlace = ({ from, to }: ConditionProblem): void => {
    area.current?.focus();
    area.current?.setSelectionRange(from + offset, to + offset);
  };
  return (
    <div className="min-w-0">
      <Textarea
        ref={area}
        id={id}
        fitted
        rows={3}
        aria-label="Condition as text"
        data-field="condition"
        spellCheck={false}
        maxLength={MAX_CONDITION_CHARS}
        value={text}
        invalid={isInvalid}
        placeholder='args.amount > 500 && caller.role == "operator"'
        aria-describedby={describedBy(id, { hint: true, problems: isInvalid ? ["condition"] : [] })}
        className="max-h-96 font-mono text-xs!"
        onChange={({ target }) => onChange(target.value)}
      />
      <p id={hintId(id)} className="mt-1 text-mute text-xs">
        An expression in CEL over <code>args</code>, <code>tool</code>, <code>caller</code>, <code>client</code>,{" "}
        <code>time</code>, <code>count(minutes)</code> and, to redact or block, <code>result</code>. Empty: every call
        in scope.
      </p>
      {found.length > 0 ? (
        <ul id={`${id}-problems`} aria-label="Problems of the condition" className="mt-1 flex flex-col gap-1 text-xs">
          {found.map((problem) => (
            <li key={`${problem.from} ${problem.message}`} className="text-bad [overflow-wrap:anywhere]">
              {problem.message}
              <Button variant="ghost" className="h-auto! py-0" onClick={() => showPlace(problem)}>
                <Excerpt text={text.trim()} problem={problem} />
                <span className="sr-only">Select in the text</span>
              </Button>
            </li>
          ))}
        </ul>
      ) : (
        <FieldProblems id={id} problems={problems} />
      )}
    </div>
  );
}

const AROUND_CHARS = 16;

/** The part of the text that a problem is about, with what is around it. */
function Excerpt({ text, problem: { from, to } }: { text: string; problem: ConditionProblem }) {
  const start = Math.max(0, from - AROUND_CHARS);
  const end = Math.min(text.length, to + AROUND_CHARS);
  return (
    <code className="max-w-80 truncate font-mono">
      {start > 0 && "…"}
      {text.slice(start, from)}
      <mark className="bg-bad-bg text-bad underline decoration-wavy">{text.slice(from, to) || " "}</mark>
      {text.slice(to, end)}
      {end < text.length && "…"}
    </code>
  );
}
