"use client";

import { useId, useState } from "react";
import { DraftField } from "@/app/_kit/form/draft-field";
import { FieldProblems } from "@/app/_kit/form-field";
import { NativeSelect } from "@/app/_ui/field";
import { valueAt } from "./definition-text";
import { problemsOf } from "./problem-fields";
import { SensitiveFields } from "./sensitive-fields";
import { asText, type FieldProps, TextField } from "./text-field";

/** What has a good default or is only for people. */
export function MoreFields(props: FieldProps) {
  return (
    <details className="rounded-lg border border-line bg-panel">
      <summary className="rounded-lg px-3 py-2 font-medium">Hints, masked values, tags, timeout, labels</summary>
      <div className="flex flex-col gap-4 border-line border-t p-3">
        <HintFields {...props} />
        <SensitiveFields {...props} />
        <TagsField {...props} />
        <TimeoutField {...props} />
        <TextField {...props} field="title" label="Title" hint="Display name (optional). Models see the name." />
        <TextField
          {...props}
          field="handler"
          label="Label"
          required
          mono
          hint="Informational. The implementation determines what runs."
        />
      </div>
    </details>
  );
}

const HINTS = [
  ["readOnlyHint", "Read-only"],
  ["destructiveHint", "Destructive"],
  ["idempotentHint", "Idempotent"],
  ["openWorldHint", "Open world"],
] as const;

/** Not said, yes and no are three different claims. */
function HintFields({ draft, value, problems }: FieldProps) {
  const id = useId();
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 flex items-baseline gap-1.5 font-medium">
        Hints <span className="font-mono font-normal text-2xs text-faint">annotations</span>
      </legend>
      <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
        {HINTS.map(([key, label]) => {
          const held = valueAt(value, ["annotations", key]);
          return (
            <label key={key} htmlFor={`${id}-${key}`} className="flex items-center justify-between gap-2 text-mute">
              {label}
              <NativeSelect
                id={`${id}-${key}`}
                value={typeof held === "boolean" ? String(held) : ""}
                onChange={({ target }) =>
                  draft.set(["annotations", key], target.value === "" ? undefined : target.value === "true")
                }
                className="max-w-28"
              >
                <option value="">Unspecified</option>
                <option value="true">Yes</option>
                <option value="false">No</option>
              </NativeSelect>
            </label>
          );
        })}
      </div>
      <FieldProblems id={id} problems={problemsOf(problems, "annotations")} />
    </fieldset>
  );
}

function parseTags(text: string): string[] {
  return text
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}

function TagsField({ draft, value, problems }: FieldProps) {
  const held = valueAt(value, ["tags"]);
  const tags = Array.isArray(held) ? held.map(asText) : [];
  // What is typed holds commas and spaces that the list does not; it is shown as long as it means the list.
  const [typed, setTyped] = useState(tags.join(", "));
  return (
    <DraftField
      label="Tags"
      field="tags"
      hint="Comma-separated."
      value={JSON.stringify(parseTags(typed)) === JSON.stringify(tags) ? typed : tags.join(", ")}
      problems={problemsOf(problems, "tags")}
      onChange={(text) => {
        const next = parseTags(text);
        setTyped(text);
        draft.set(["tags"], next.length === 0 ? undefined : next);
      }}
    />
  );
}

/** What is no number goes into the definition as it was typed, where the checker says what is wrong with it. */
function TimeoutField({ draft, value, problems }: FieldProps) {
  return (
    <DraftField
      label="Timeout"
      field="timeout_ms"
      hint="Milliseconds. Leave empty for the default."
      inputMode="numeric"
      value={asText(valueAt(value, ["timeout_ms"]))}
      problems={problemsOf(problems, "timeout_ms")}
      onChange={(text) => {
        const typed = text.trim();
        const number = /^\d{1,15}$/.test(typed) ? Number(typed) : typed;
        draft.set(["timeout_ms"], typed === "" ? undefined : number);
      }}
    />
  );
}
