const MAX_LOGGED_ARGUMENT_CHARS = 4000;
const UNREPRESENTABLE = "null";

/** JSON text of arguments, whatever they are. */
export function textOf(args: unknown): string {
  try {
    return JSON.stringify(args) ?? UNREPRESENTABLE;
  } catch {
    return UNREPRESENTABLE;
  }
}

/** Arguments as a log line can carry them: whole when short, else their beginning. */
export function loggable(args: unknown): unknown {
  const text = textOf(args);
  return text.length <= MAX_LOGGED_ARGUMENT_CHARS
    ? args
    : { truncated: text.slice(0, MAX_LOGGED_ARGUMENT_CHARS), characters: text.length };
}
