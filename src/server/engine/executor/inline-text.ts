import { writeJson } from "../../../lib/json/nesting";

/** Fields of a log line as text. */
export function toInlineText(fields: object): string {
  try {
    return writeJson(fields) ?? "";
  } catch {
    return "[fields that are not JSON]";
  }
}
