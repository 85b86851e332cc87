import type { JsonValue } from "@/lib/contract/json";

/** The props of a field's one control, for any element. */
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

export function emptyHint(value: JsonValue | undefined): string | undefined {
  if (value === undefined) return "Omitted";
  if (value === null) return "null";
  return value === "" ? "Empty text" : undefined;
}

export function emptyLook(value: JsonValue | undefined): string | undefined {
  return value === undefined || value === null ? "border-dashed" : undefined;
}
