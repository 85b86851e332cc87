/** The servers of one imported text. */
export const MAX_SERVERS = 200;

/** One server of an imported text, before its fields are read. */
export interface NamedEntry {
  /** Null where the text does not name it. */
  name: string | null;
  entry: unknown;
  notes: string[];
  /** Why it cannot be imported; each names its field. */
  problems: string[];
}

export function namedEntry(name: string | null, entry: unknown, notes: string[] = []): NamedEntry {
  return { name, entry, notes, problems: [] };
}

/** The servers of a text, or why it cannot be read. */
export type Found = { servers: NamedEntry[]; notes: string[]; problems?: string[] } | { problem: string };
