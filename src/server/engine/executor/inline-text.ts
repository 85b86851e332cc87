/** Fields of a log line as text. */
export function toInlineText(fields: object): string {
  try {
    return JSON.stringify(fields);
  } catch {
    return "[fields that are not JSON]";
  }
}
