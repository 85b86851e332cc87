/** An error's message; any other thrown value as text. */
export function getMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
