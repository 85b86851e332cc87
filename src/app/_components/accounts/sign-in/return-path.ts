/** Where to go after signing in: a path of this server; the overview for anything else, such as another site. */
export function readReturnPath(to: string | null): string {
  // Browsers read "//" and "/\" as the start of another host, and drop tabs and line breaks.
  return to !== null && /^\/(?![/\\])[^\\\s]*$/.test(to) ? to : "/";
}
