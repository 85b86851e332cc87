"use client";

import { CalendarDays, Clock } from "lucide-react";
import { type KeyboardEvent, useRef, useState } from "react";
import { IconButton } from "@/app/_ui/button";
import { Checkbox } from "@/app/_ui/checkbox";
import { Input, NativeSelect, Textarea } from "@/app/_ui/field";
import type { JsonValue } from "@/lib/contract/json";
import { equalJson } from "@/lib/json/equal-json";
import type { FieldDescription, FieldOption } from "@/lib/schema/describe/describe-field";
import { lossyNumber, readNumber } from "@/lib/schema/json-number";
import { ownKeyword } from "@/lib/schema/resolve-ref";
import { emptyHint, emptyLook, type ScalarFieldProps } from "./field-control";
import { useArgumentsForm } from "./form-context";

const KINDS: readonly (readonly [format: string, kind: PickerKind])[] = [
  ["date", "date"],
  ["date-time", "datetime-local"],
  ["time", "time"],
];

const MAX_ROWS = 14;

export interface TextFieldProps extends ScalarFieldProps {
  field: FieldDescription;
}

/**
 * A text area even for one line: an input would drop line breaks that are pasted into it. Enter breaks the line only
 * where lines are expected or there are some already, else it submits the form around the field; Shift+Enter always does.
 * Backspace in an empty text omits it.
 */
export function TextField({ control, value, clearable, onSet, onUnset, field }: TextFieldProps) {
  const omitsEmpty = useArgumentsForm().purpose === "answer" && clearable;
  const text = typeof value === "string" ? value : "";
  const multiline = field.kind === "multiline";
  const picker = getPicker(field);
  const lines = text.split("\n").length;
  const manyLines = multiline || lines > 1;
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "Backspace" && value === "" && clearable && !event.repeat) return onUnset();
    if (event.key !== "Enter" || manyLines || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!event.metaKey && !event.ctrlKey) event.currentTarget.form?.requestSubmit();
  };
  return (
    <div className="relative">
      <Textarea
        {...control}
        value={text}
        rows={multiline ? Math.min(Math.max(lines, 3), MAX_ROWS) : Math.min(lines, MAX_ROWS)}
        placeholder={emptyHint(value)}
        fitted
        spellCheck={false}
        autoComplete="off"
        onKeyDown={press}
        onChange={({ target }) => (target.value === "" && omitsEmpty ? onUnset() : onSet(target.value))}
        className={`block min-h-8! ${picker === null ? "" : "pr-9"} max-h-72 [overflow-wrap:anywhere] ${manyLines ? "resize-y" : "resize-none"} ${emptyLook(value) ?? ""}`}
      />
      {picker !== null && (
        <DatePicker
          kind={picker}
          label={control["aria-label"]}
          text={text}
          disabled={control.disabled}
          onPick={onSet}
        />
      )}
      {omitsEmpty && control["aria-required"] && text === "" && takesEmptyText(field) && (
        <label className="mt-1 flex w-fit items-center gap-1.5 text-mute text-xs">
          <Checkbox
            checked={value === ""}
            disabled={control.disabled}
            onChange={(checked) => (checked ? onSet("") : onUnset())}
          />
          Send empty text
        </label>
      )}
    </div>
  );
}

function takesEmptyText({ schema }: FieldDescription): boolean {
  return typeof schema === "boolean" || !(ownKeyword(schema, "minLength") || ownKeyword(schema, "format"));
}

interface NumberDraft {
  text: string;
  value: JsonValue | undefined;
}

/** Edits a number: the typed text counts as the number it spells in JSON; while it spells none (`-`, `1.`) it stays text. */
export function NumberField({ control, value, clearable, onSet, onUnset }: ScalarFieldProps) {
  const [draft, setDraft] = useState<NumberDraft | null>(null);
  const written = typeof value === "number" ? JSON.stringify(value) : typeof value === "string" ? value : "";
  const text = draft !== null && Object.is(draft.value, value) ? draft.text : written;
  const lost = readNumber(text) === null ? null : lossyNumber(text);
  const type = (typed: string) => {
    const next = typed === "" && clearable ? undefined : (readNumber(typed) ?? typed);
    setDraft({ text: typed, value: next });
    if (next === undefined) onUnset();
    else onSet(next);
  };
  return (
    <>
      <Input
        {...control}
        value={text}
        type="text"
        inputMode="decimal"
        autoComplete="off"
        placeholder={emptyHint(value)}
        onChange={(event) => type(event.target.value)}
        className={`font-mono tabular-nums ${emptyLook(value) ?? ""}`}
      />
      {typeof value === "string" && (
        <p className="mt-1 text-warn text-xs">
          Not a number: sent as the string <code className="font-mono">{JSON.stringify(value)}</code>
        </p>
      )}
      {lost !== null && (
        <p className="mt-1 text-warn text-xs">
          Exceeds the precision of a number: sent as <code className="font-mono">{lost}</code>
        </p>
      )}
    </>
  );
}

export const BOOLEAN_OPTIONS: FieldOption[] = [
  { value: true, label: "true" },
  { value: false, label: "false" },
];

const MAX_OPTION_CHARS = 80;

export interface ChoiceFieldProps extends ScalarFieldProps {
  options: FieldOption[];
}

/** Picks from a list. A value that is not in the list stays where it is, and says so. */
export function ChoiceField({ control, value, clearable, onSet, onUnset, options }: ChoiceFieldProps) {
  const at = value === undefined || value === null ? -1 : options.findIndex((option) => equalJson(option.value, value));
  const stranger = at === -1 && value !== undefined && value !== null;
  const selected = value === undefined ? "absent" : value === null ? "null" : stranger ? "stranger" : String(at);
  const choose = (key: string) => {
    if (key === "absent") onUnset();
    const option = /^\d+$/.test(key) ? options[Number(key)] : undefined;
    if (option !== undefined) onSet(option.value);
  };
  return (
    <NativeSelect {...control} value={selected} onChange={(event) => choose(event.target.value)}>
      {(clearable || value === undefined) && <option value="absent">Omitted</option>}
      {value === null && <option value="null">null</option>}
      {stranger && <option value="stranger">{JSON.stringify(value).slice(0, MAX_OPTION_CHARS)} (not an option)</option>}
      {options.map((option, index) => (
        <option key={JSON.stringify(option.value)} value={String(index)}>
          {option.label}
        </option>
      ))}
    </NativeSelect>
  );
}

type PickerKind = "date" | "datetime-local" | "time";

/** The browser's picker for a text field's format; null where it has none. */
function getPicker({ schema }: FieldDescription): PickerKind | null {
  const format = typeof schema === "boolean" ? undefined : ownKeyword(schema, "format");
  return KINDS.find(([name]) => name === format)?.[1] ?? null;
}

/** Returns the picker's initial date: the text, where it is such a date. */
function toPicker(kind: PickerKind, text: string): string {
  if (kind === "date") return /^\d{4}-\d\d-\d\d$/.test(text) ? text : "";
  if (kind === "time") return /^\d\d:\d\d(:\d\d)?/.exec(text)?.[0] ?? "";
  const time = Date.parse(text);
  if (Number.isNaN(time)) return "";
  const local = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}

/** As RFC 3339 writes it, which JSON Schema asks for: a time has its offset. */
function fromPicker(kind: PickerKind, picked: string): string {
  if (kind === "date") return picked;
  if (kind === "time") return `${picked.length === 5 ? `${picked}:00` : picked}Z`;
  return new Date(picked).toISOString().replace(".000Z", "Z");
}

interface DatePickerProps {
  kind: PickerKind;
  label: string;
  text: string;
  disabled: boolean;
  onPick: (text: string) => void;
}

/** Opens the browser's picker beside a text field, which still takes any text. */
function DatePicker({ kind, label, text, disabled, onPick }: DatePickerProps) {
  const input = useRef<HTMLInputElement>(null);
  const Icon = kind === "time" ? Clock : CalendarDays;
  return (
    <span className="absolute top-0.5 right-0.5">
      <input
        ref={input}
        type={kind}
        step={kind === "date" ? undefined : 1}
        data-picker={kind}
        aria-hidden
        tabIndex={-1}
        disabled={disabled}
        value={toPicker(kind, text)}
        onChange={({ target }) => target.value !== "" && onPick(fromPicker(kind, target.value))}
        className="pointer-events-none absolute inset-0 size-full opacity-0"
      />
      <IconButton
        icon={Icon}
        label={`Pick ${kind === "time" ? "a time" : "a date"} for ${label}`}
        disabled={disabled}
        onClick={() => input.current?.showPicker()}
      />
    </span>
  );
}
