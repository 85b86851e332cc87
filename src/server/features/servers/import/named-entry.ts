/** Of one imported text. */
export const MAX_SERVERS = 200;

/** One server of an imported text, before its fields are read. */
export interface NamedEntry {
  /** Null where the text does not name it. */
  name: string | null;
  entry: unknown;
  /** What was changed on the way. */
  notes: string[];
  /** Why it cannot be imported; each names its field. */
  problems: string[];
}

export function namedEntry(name: string | null, entry: unknown, notes: string[] = []): NamedEntry {
  return { name, entry, notes, problems: [] };
}

/** What a text holds, or why it cannot be read. */
export type Found = { servers: NamedEntry[]; notes: string[]; problems?: string[] } | { problem: string };
