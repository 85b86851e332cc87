/**
 * The pattern that stored texts are searched for. SQLite ends a pattern at a NUL character, which would match too much or break the
 * query, and stores half a surrogate pair as U+FFFD: both become that character, which no stored text has in their place.
 */
export function toSearchable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}
