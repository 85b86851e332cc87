/** What a value costs beside its text: an object's, a key's and a number's order of magnitude. */
const VALUE_CHARS = 16;

/**
 * About how many characters an event holds in memory. Much cheaper than its JSON, since texts are not looked at. Stops
 * counting above `max`, so a hostile value costs no more than that.
 */
export function eventSize(event: unknown, max: number): number {
  let size = 0;
  // No recursion: a tool's result may be nested as deep as memory allows.
  const left: unknown[] = [event];
  while (left.length > 0 && size <= max) {
    const value = left.pop();
    size += VALUE_CHARS;
    if (typeof value === "string") size += value.length;
    else if (Array.isArray(value)) for (const item of value) left.push(item);
    else if (typeof value === "object" && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        size += key.length;
        left.push(item);
      }
    }
  }
  return size;
}
