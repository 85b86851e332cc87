import { cx } from "./class-names";

export const DEFAULT_MIN_LINES = 6;

/** The classes of the frame around a JSON editor. */
export function jsonEditorFrame(invalid: boolean): string {
  return cx(
    "overflow-hidden rounded-md border focus-within:border-accent focus-within:ring-3 focus-within:ring-accent-bg",
    invalid ? "border-bad" : "border-edge",
  );
}
