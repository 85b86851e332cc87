"use client";

import { useId, useRef } from "react";
import type { JsonValue } from "@/lib/contract/json";

type ValueState = "omit" | "null" | "value";

const LABELS: Record<ValueState, string> = { omit: "Omit", null: "null", value: "Value" };

function getState(value: JsonValue | undefined): ValueState {
  if (value === undefined) return "omit";
  return value === null ? "null" : "value";
}

export interface StateControlProps {
  value: JsonValue | undefined;
  /** Id of the text that names the field. */
  describedBy: string;
  canBeAbsent: boolean;
  allowsNull: boolean;
  /** False where null is the only value there is. */
  hasValues: boolean;
  disabled: boolean;
  /** Returns the value for "value" when there was none before. */
  startingValue: () => JsonValue;
  onChange: (value: JsonValue | undefined) => void;
}

/** Omitted, null or a value: three different things to send. Going back to "Value" restores the last one. */
export function StateControl(props: StateControlProps) {
  const { value, describedBy, canBeAbsent, allowsNull, hasValues, disabled, startingValue, onChange } = props;
  const name = useId();
  const last = useRef<JsonValue | undefined>(undefined);
  const current = getState(value);
  const states: ValueState[] = [
    ...(canBeAbsent || current === "omit" ? (["omit"] as const) : []),
    ...(allowsNull || current === "null" ? (["null"] as const) : []),
    ...(hasValues || current === "value" ? (["value"] as const) : []),
  ];
  if (states.length < 2) return null;

  const choose = (next: ValueState) => {
    if (next === current) return;
    if (current === "value") last.current = value;
    if (next === "omit") onChange(undefined);
    else onChange(next === "null" ? null : (last.current ?? startingValue()));
  };
  return (
    <div
      role="radiogroup"
      aria-label="Send as"
      aria-describedby={describedBy}
      className="flex shrink-0 items-center text-2xs text-faint"
    >
      {states.map((state) => (
        <label
          key={state}
          className="relative flex h-6 cursor-pointer items-center justify-center rounded-sm px-1 max-sm:h-8 max-sm:min-w-10 has-checked:font-medium has-checked:text-text has-focus-visible:outline-2 has-focus-visible:outline-accent has-disabled:cursor-not-allowed not-has-checked:hover:text-text"
        >
          <input
            type="radio"
            name={name}
            value={state}
            checked={state === current}
            disabled={disabled}
            onChange={() => choose(state)}
            className="absolute inset-0 size-full cursor-[inherit] appearance-none opacity-0 max-sm:-top-1 max-sm:h-10"
          />
          {LABELS[state]}
        </label>
      ))}
    </div>
  );
}
