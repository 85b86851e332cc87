"use client";

import { useId } from "react";
import { describedBy, FieldProblems, hintId } from "@/app/_kit/form-field";
import { JsonEditor } from "@/app/_ui/json-editor";
import type { DefinitionDraft, JsonPart } from "./use-definition-draft";

export interface JsonPartFieldProps {
  draft: DefinitionDraft;
  part: JsonPart;
  label: string;
  hint: string;
  problems: readonly string[];
  /** After the first attempt to save: a fault of the JSON is shown. */
  attempted: boolean;
  minLines?: number;
}

/** A part of the definition as JSON of its own. */
export function JsonPartField({ draft, part, label, hint, problems, attempted, minLines }: JsonPartFieldProps) {
  const id = useId();
  const { text, fault } = draft.part(part);
  const broken = fault === null || !attempted ? [] : [fault, "Fix the JSON to update the definition."];
  const shown = fault === null ? problems : broken;
  return (
    <div className="min-w-0" data-part={part}>
      <p className="mb-1 font-medium">{label}</p>
      <JsonEditor
        label={label}
        value={text}
        onChange={(next) => draft.setPart(part, next)}
        invalid={shown.length > 0}
        minLines={minLines}
        describedBy={describedBy(id, { hint: true, problems: shown })}
      />
      <p id={hintId(id)} className="mt-1 text-mute text-xs">
        {hint}
      </p>
      <FieldProblems id={id} problems={shown} />
    </div>
  );
}
