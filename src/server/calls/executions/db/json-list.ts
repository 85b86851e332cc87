/** Texts for `json_each`. One that no database takes as it is matches nothing. */
export function toJsonList(texts: readonly string[]): string {
  return JSON.stringify(texts.filter((text) => text.isWellFormed() && !text.includes("\0")));
}
