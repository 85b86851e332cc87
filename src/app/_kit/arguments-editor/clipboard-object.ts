import type { ClipboardEvent } from "react";
import type { JsonObject } from "@/lib/contract/json";
import { readObject } from "./payload-text";

/** What was pasted, if it is a JSON object, and whether the place it was pasted into takes text itself. */
export function pastedObject(event: ClipboardEvent): { value: JsonObject; intoText: boolean } | null {
  const value = readObject(event.clipboardData.getData("text/plain"));
  if (value === null) return null;
  const { target } = event;
  const takesText =
    target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type !== "radio");
  return { value, intoText: takesText };
}
