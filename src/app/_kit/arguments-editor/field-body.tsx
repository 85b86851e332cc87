import { Plus } from "lucide-react";
import { type ClipboardEvent, useState } from "react";
import { Input, Textarea } from "@/app/_ui/field";
import { RevealButton } from "@/app/_ui/reveal-button";
import type { JsonValue } from "@/lib/contract/json";
import { parsePointer } from "@/lib/json/json-pointer";
import { hasMask } from "@/lib/masked-value";
import type { FieldDescription } from "@/lib/schema/describe/describe-field";
import { emptyValue } from "@/lib/schema/describe/initial-values";
import { isMarked } from "@/lib/schema/sensitive/marks";
import { isJsonObject } from "@/lib/schema/value-at";
import { ArrayField } from "./array-field";
import { CheckList, listChoices } from "./check-list";
import { emptyHint, emptyLook, type FieldControl, type ScalarFieldProps } from "./field-control";
import type { FieldBodyProps } from "./field-props";
import { type ArgumentsForm, useArgumentsForm } from "./form-context";
import { ObjectField } from "./object-field";
import { RawField } from "./raw-field";
import { BOOLEAN_OPTIONS, ChoiceField, NumberField, TextField } from "./scalar-fields";
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
      className="flex h-8 w-full items-center max-sm:h-10 rounded-md border border-edge border-dashed px-2.5 text-left text-mute text-sm hover:border-accent hover:text-text disabled:cursor-not-allowed disabled:opacity-45"
    >
      <span className="min-w-0 flex-1 truncate">
        Add {name}
        {control["aria-label"] !== name && <span className="sr-only"> ({control["aria-label"]})</span>}
        {value === null && " · now null"}
      </span>
      <Plus size={15} />
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

/** A text that is stored masked. The mask of an earlier call is not shown as its value: the value has to be entered again. */
function SecretField({ control, value, onSet }: ScalarFieldProps) {
  const [revealed, setRevealed] = useState(false);
  const isMasked = typeof value === "string" && hasMask(value);
  const text = typeof value === "string" && !isMasked ? value : "";
  const shared = {
    ...control,
    value: text,
    placeholder: isMasked ? "Masked: enter it again" : emptyHint(value),
    spellCheck: false,
    autoComplete: "off",
    "data-1p-ignore": "",
    className: `pr-9 ${emptyLook(value) ?? ""}`,
  };
  // A one-line input would drop the line breaks of a key.
  const pasteLines = (event: ClipboardEvent<HTMLInputElement>) => {
    const pasted = event.clipboardData.getData("text/plain");
    if (!pasted.trim().includes("\n")) return;
    event.preventDefault();
    event.stopPropagation();
    onSet(pasted);
  };
  const name = control["aria-label"];
  return (
    <div className="relative">
      {text.includes("\n") ? (
        <Textarea
          {...shared}
          rows={4}
          className={`${shared.className} ${revealed ? "" : "[-webkit-text-security:disc]"}`}
          onChange={({ target }) => onSet(target.value)}
        />
      ) : (
        <Input
          {...shared}
          type={revealed ? "text" : "password"}
          onPaste={pasteLines}
          onChange={({ target }) => onSet(target.value)}
        />
      )}
      <span className="absolute top-0.5 right-0.5">
        <RevealButton of={name} revealed={revealed} disabled={text === ""} onReveal={setRevealed} />
      </span>
    </div>
  );
}
