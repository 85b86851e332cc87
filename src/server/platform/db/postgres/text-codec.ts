/**
 * PostgreSQL refuses the character NUL in texts. It is stored as this character of the private use area and a `0`, and that
 * character itself with a `1` behind it, so that every text comes back as it was given.
 */
const ESCAPE = "\ue000";
const STORED_NUL = `${ESCAPE}0`;
const STORED_ESCAPE = `${ESCAPE}1`;

export function encodeText(text: string): string {
  if (!text.includes("\0") && !text.includes(ESCAPE)) return text;
  return text.replaceAll(ESCAPE, STORED_ESCAPE).replaceAll("\0", STORED_NUL);
}

export function decodeText(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replaceAll(STORED_NUL, "\0").replaceAll(STORED_ESCAPE, ESCAPE);
}

/** A JSON parameter that PostgreSQL parses, whose texts are encoded one by one. */
export interface JsonParameter {
  toPostgres(): string;
}

/** NUL and half of a surrogate pair as JSON writes them, which PostgreSQL refuses there too. */
const REFUSED = /\\u0000|\\ud[89a-f]|\ue000/i;

export function jsonParameter(value: unknown): JsonParameter {
  const text = JSON.stringify(value);
  const encode = (_key: string, item: unknown) => (typeof item === "string" ? encodeText(item).toWellFormed() : item);
  const encoded = REFUSED.test(text) ? JSON.stringify(value, encode) : text;
  return { toPostgres: () => encoded };
}
