import type { JsonValue } from "@/lib/contract";

/** What a field's one control is given, whatever element it is. */
export interface FieldControl {
  id: string;
  "aria-label": string;
  "aria-describedby": string | undefined;
  "aria-required": boolean | undefined;
  invalid: boolean;
  disabled: boolean;
}

export interface ScalarFieldProps {
  control: FieldControl;
  value: JsonValue | undefined;
  /** Emptying the control makes the place absent; elements and keys of a map are removed instead. */
  clearable: boolean;
  onSet: (value: JsonValue) => void;
  onUnset: () => void;
}

/** What an empty control says about a value that is not there. */
export function emptyHint(value: JsonValue | undefined): string | undefined {
  if (value === undefined) return "not sent";
  if (value === null) return "null";
  return value === "" ? "empty text" : undefined;
}

/** A place that is not sent looks like one. */
export function emptyLook(value: JsonValue | undefined): string | undefined {
  return value === undefined || value === null ? "border-dashed" : undefined;
}
