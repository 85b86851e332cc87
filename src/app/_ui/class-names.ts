/** Joins class names, leaving out what is not set. Later names do not override earlier ones: the style sheet's order does. */
export function cx(...names: (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(" ");
}
