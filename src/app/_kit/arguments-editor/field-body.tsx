"use client";

import { Plus } from "lucide-react";
import type { JsonValue } from "@/lib/contract/json";
import { parsePointer } from "@/lib/json/json-pointer";
import type { FieldDescription } from "@/lib/schema/describe/describe-field";
import { emptyValue } from "@/lib/schema/describe/initial-values";
import { isMarked } from "@/lib/schema/sensitive/marks";
import { isJsonObject } from "@/lib/schema/value-at";
import { ArrayField } from "./array-field";
import { CheckList, listChoices } from "./check-list";
import type { FieldControl } from "./field-control";
import type { FieldBodyProps } from "./field-props";
import { type ArgumentsForm, useArgumentsForm } from "./form-context";
import { ObjectField } from "./object-field";
import { RawField } from "./raw-field";
import { BOOLEAN_OPTIONS, ChoiceField, NumberField, TextField } from "./scalar-fields";
import { SecretField } from "./secret-field";
import { UnionField } from "./union-field";

/** The place of a structure that is not there: one press makes it, empty. */
function MissingContainer({ control, name, value, onCreate }: MissingContainerProps) {
  return (
    <button
      type="button"
      id={control.id}
      disabled={control.disabled}
      aria-describedby={control["aria-describedby"]}
      onClick={onCreate}
      className="flex h-8 w-full items-center rounded-md border border-edge border-dashed px-2.5 text-left text-mute text-sm hover:border-accent hover:text-text disabled:cursor-not-allowed disabled:opacity-45"
    >
      <span className="min-w-0 flex-1 truncate">
        Add {name}
        {control["aria-label"] !== name && <span className="sr-only"> ({control["aria-label"]})</span>}
        {value === null && " · now null"}
      </span>
      <Plus aria-hidden size={15} strokeWidth={1.6} />
    </button>
  );
}

interface MissingContainerProps {
  control: FieldControl;
  name: string;
  value: JsonValue | undefined;
  onCreate: () => void;
}

function NullField({ control, value }: { control: FieldControl; value: JsonValue | undefined }) {
  return (
    <output
      id={control.id}
      aria-label={control["aria-label"]}
      aria-describedby={control["aria-describedby"]}
      className="flex h-8 items-center rounded-md border border-edge border-dashed px-2.5 font-mono text-mute text-xs"
    >
      {value === null ? "null" : "Omitted"}
    </output>
  );
}

function isSecret({ schema }: FieldDescription, pointer: string, { sensitive }: ArgumentsForm): boolean {
  if (typeof schema === "object" && isMarked(schema)) return true;
  const tokens = parsePointer(pointer);
  return sensitive.some((path) => {
    const parts = parsePointer(path);
    return parts.length === tokens.length && parts.every((part, at) => part === "*" || part === tokens[at]);
  });
}

/** The control for a value, by the kind of its field. */
export function FieldBody(props: FieldBodyProps) {
  const { field, control, pointer, name, value, faults, depth, raw, clearable, onChange, onEditingRaw } = props;
  const form = useArgumentsForm();
  if (raw) return <RawField {...{ control, pointer, value, clearable }} onEditing={onEditingRaw} />;
  const scalar = { control, value, clearable, onSet: onChange, onUnset: () => onChange(undefined) };
  const choices = listChoices(field, form);
  if (choices !== null) return <CheckList {...scalar} options={choices} />;
  switch (field.kind) {
    case "string":
    case "multiline":
      if (isSecret(field, pointer, form)) return <SecretField {...scalar} />;
      return <TextField {...scalar} field={field} />;
    case "number":
    case "integer":
      return <NumberField {...scalar} />;
    case "boolean":
      return <ChoiceField {...scalar} options={BOOLEAN_OPTIONS} />;
    case "enum":
    case "const":
      return <ChoiceField {...scalar} options={field.options} />;
    case "union":
      return <UnionField {...props} />;
    case "null":
      return <NullField control={control} value={value} />;
    default:
      if (isJsonObject(value)) return <ObjectField {...{ field, control, pointer, value, faults, depth }} />;
      if (Array.isArray(value)) return <ArrayField {...{ field, control, pointer, value, faults, depth }} />;
      return <MissingContainer {...{ control, name, value }} onCreate={() => onChange(emptyValue(field, form.root))} />;
  }
}
