import { writeJson } from "../../../lib/json/limits";

/** Fields of a log line as text. */
export function toInlineText(fields: object): string {
  try {
    return writeJson(fields) ?? "";
  } catch {
    return "[fields that are not JSON]";
  }
}
