/** What was thrown, in one line for people: an error's message, anything else as text. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
