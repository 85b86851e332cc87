"use client";

import { CalendarDays, Clock } from "lucide-react";
import { useRef } from "react";
import { IconButton } from "@/app/_ui/button";
import type { FieldDescription } from "@/lib/schema/describe/describe-field";
import { ownKeyword } from "@/lib/schema/resolve-ref";

type PickerKind = "date" | "datetime-local" | "time";

const KINDS: readonly (readonly [format: string, kind: PickerKind])[] = [
  ["date", "date"],
  ["date-time", "datetime-local"],
  ["time", "time"],
];

/** The browser's picker for a text field's format; null where it has none. */
export function getPicker({ schema }: FieldDescription): PickerKind | null {
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

export interface DatePickerProps {
  kind: PickerKind;
  label: string;
  text: string;
  disabled: boolean;
  onPick: (text: string) => void;
}

/** Opens the browser's picker beside a text field, which still takes any text. */
export function DatePicker({ kind, label, text, disabled, onPick }: DatePickerProps) {
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
