/** The keys that lead to the servers of a file. */
export type SectionPath = readonly string[];

/** One server of a section, in the order of the text. */
export interface SectionServer {
  /** Null in a list whose items have no names. */
  name: string | null;
  value: unknown;
}

/** The entry that Toolroom writes in place of servers. */
export interface NewServer {
  name: string;
  value: Readonly<Record<string, unknown>>;
}

/** A part of a text and what stands there instead. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/**
 * One syntax of configuration files. Edits touch the servers they are about and nothing else, so comments, order,
 * indentation and line ends survive. Every method throws UneditableText for a text that it cannot edit so.
 */
export interface ConfigFormat {
  /** @throws Error that says where the text is wrong */
  parse(text: string): unknown;
  /** Null where the text has no such section, or something else stands there. */
  listServers(text: string, path: SectionPath): SectionServer[] | null;
  /** A server in the form for the position of another one. */
  writeServer(text: string, path: SectionPath, at: number, server: NewServer): string;
  /** The text of servers as it is written in the file. */
  quoteServers(text: string, path: SectionPath, positions: readonly number[]): string[];
  /** Puts written servers where the first of some servers is, and removes these. */
  replaceServers(text: string, path: SectionPath, positions: ReadonlySet<number>, written: readonly string[]): Edit[];
}

/** The text is right, but written in a way that is not edited. The message ends a sentence that begins with the file. */
export class UneditableText extends Error {
  override readonly name = "UneditableText";
}

export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = "";
  let from = 0;
  for (const { start, end, text: inserted } of edits) {
    result += text.slice(from, start) + inserted;
    from = end;
  }
  return result + text.slice(from);
}

/** The edits in the order of the text. @throws UneditableText where two overlap */
export function sortEdits(edits: readonly Edit[]): Edit[] {
  const sorted = [...edits].sort((left, right) => left.start - right.start || left.end - right.end);
  if (sorted.some(({ end }, index) => end > (sorted[index + 1]?.start ?? end))) {
    throw new UneditableText("has servers inside of servers");
  }
  return sorted;
}

export function findLineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

/** The position after the line's end, or the end of the text. */
export function findLineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}

export const findEol = (text: string): string => /\r?\n/.exec(text)?.[0] ?? "\n";

export const isBlank = (text: string): boolean => /^\s*$/.test(text);

export function getIndent(text: string, at: number): string {
  const line = findLineStart(text, at);
  return /^[ \t]*/.exec(text.slice(line, at))?.[0] ?? "";
}
