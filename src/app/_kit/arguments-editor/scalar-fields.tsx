import { CalendarDays, Clock } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { DatePicker } from "@/app/_kit/date/date-picker";
import { readDate } from "@/app/_kit/date/read-date";
import { IconButton } from "@/app/_ui/button";
import { Checkbox } from "@/app/_ui/checkbox";
import { Input, NativeSelect, Textarea } from "@/app/_ui/field";
import { useTimeZone } from "@/app/_ui/time-zone";
import type { JsonValue } from "@/lib/contract/json";
import { formatDate, toLocalIso } from "@/lib/format";
import { equalJson } from "@/lib/json/equal-json";
import type { FieldDescription, FieldOption } from "@/lib/schema/describe/describe-field";
import { lossyNumber, readNumber } from "@/lib/schema/json-number";
import { ownKeyword } from "@/lib/schema/resolve-ref";
import { emptyHint, emptyLook, type ScalarFieldProps } from "./field-control";
import { useArgumentsForm } from "./form-context";

/** The formats of JSON Schema that have a picker beside their text. */
const PICKED_FORMATS = ["date", "date-time", "time"] as const;

const MAX_ROWS = 14;

interface TextFieldProps extends ScalarFieldProps {
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
        className={`block min-h-8! max-sm:min-h-10! max-sm:py-2.5 ${picker === null ? "" : "pr-9"} max-h-72 [overflow-wrap:anywhere] ${manyLines ? "resize-y" : "resize-none"} ${emptyLook(value) ?? ""}`}
      />
      {picker !== null && (
        <FormatPicker
          format={picker}
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

interface ChoiceFieldProps extends ScalarFieldProps {
  options: FieldOption[];
}

/** Picks from a list. A value that is not in the list is kept and marked. */
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

type PickedFormat = (typeof PICKED_FORMATS)[number];

/** The format of a text field that has a picker; null for any other. */
function getPicker({ schema }: FieldDescription): PickedFormat | null {
  const format = typeof schema === "boolean" ? undefined : ownKeyword(schema, "format");
  return PICKED_FORMATS.find((known) => known === format) ?? null;
}

/** Writes an instant in the form of RFC 3339, which JSON Schema requires. */
const writeDateTime = (at: number): string => new Date(at).toISOString().replace(".000Z", "Z");

interface FormatPickerProps {
  format: PickedFormat;
  label: string;
  text: string;
  disabled: boolean;
  onPick: (text: string) => void;
}

/** A calendar beside a text field, which still takes any text; for a time of the day the one that it is now. */
function FormatPicker({ format, label, text, disabled, onPick }: FormatPickerProps) {
  const zone = useTimeZone();
  const place = { className: "absolute top-0.5 right-0.5", disabled };
  if (format === "time") {
    const enterNow = (): void => onPick(`${toLocalIso(Date.now(), "UTC").slice(11, 19)}Z`);
    return <IconButton {...place} icon={Clock} label={`Use the current time (UTC) for ${label}`} onClick={enterNow} />;
  }
  const name = `Pick a date for ${label}`;
  return (
    <DatePicker
      label={name}
      by={format === "date" ? "day" : "instant"}
      value={/^\d{4}-/.test(text) ? readDate(text, { now: 0, zone }) : null}
      onPick={(at) => at !== null && onPick(format === "date" ? formatDate(at, zone) : writeDateTime(at))}
      trigger={<IconButton {...place} icon={CalendarDays} label={name} />}
    />
  );
}
