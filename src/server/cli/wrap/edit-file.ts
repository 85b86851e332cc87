import { isDeepStrictEqual } from "node:util";
import { diffLines } from "diff";
import { isPlainObject } from "../../../lib/contract/json";
import {
  applyEdits,
  type ConfigFormat,
  type Edit,
  findLineEnd,
  findLineStart,
  type NewServer,
  type SectionPath,
  type SectionServer,
  sortEdits,
  UneditableText,
} from "./config-format";

/** Servers of one section, by their positions. */
export interface TakenSection {
  path: SectionPath;
  positions: readonly number[];
}

/** The edits that put one server in the place of others, in each of some sections. @throws UneditableText */
export function takeServers(
  format: ConfigFormat,
  text: string,
  sections: readonly TakenSection[],
  toServer: (path: SectionPath) => NewServer,
): Edit[] {
  const edits: Edit[] = [];
  let expected = format.parse(text);
  for (const { path, positions } of sections) {
    const server = toServer(path);
    const [first = 0] = positions;
    const written = format.writeServer(text, path, first, server);
    edits.push(...format.replaceServers(text, path, new Set(positions), [written]));
    const servers = format.listServers(text, path) ?? [];
    expected = replaceInValue(expected, path, pick(servers, positions), positions, [server]);
  }
  const sorted = sortEdits(edits);
  assertValue(format, applyEdits(text, sorted), expected);
  return sorted;
}

/** A file as it is to be, and whether only its servers could be put back. */
export interface Restored {
  text: string;
  /** The client has changed the file since. */
  isMerged: boolean;
  /** Servers that the client has again: these stay. */
  kept: string[];
}

/** The result of `takeServers`. */
export interface Taken {
  original: string;
  edits: readonly Edit[];
  sections: readonly TakenSection[];
  entryName: string;
}

/**
 * Undoes `takeServers` in a text that was changed since. Where the changes are elsewhere, the text of the servers comes back
 * as it was; else Toolroom's entry is replaced by them. Null where the entry is gone.
 */
export function putServersBack(format: ConfigFormat, current: string, taken: Taken): Restored | null {
  const wrapped = applyEdits(taken.original, taken.edits);
  if (current === wrapped) return { text: taken.original, isMerged: false, kept: [] };
  const expected = expectRestored(format, current, taken);
  if (expected === null) return null;
  const merged = mergeTexts(wrapped, current, taken);
  if (merged !== null && expected.kept.length === 0 && hasValue(format, merged, expected.value)) {
    return { text: merged, isMerged: true, kept: [] };
  }
  const edits = expected.places.flatMap(({ path, at, positions }) =>
    format.replaceServers(current, path, new Set([at]), format.quoteServers(taken.original, path, positions)),
  );
  const text = applyEdits(current, sortEdits(edits));
  assertValue(format, text, expected.value);
  return { text, isMerged: true, kept: expected.kept };
}

interface Expected {
  value: unknown;
  /** The position of the entry, and the servers of the original at this position. */
  places: { path: SectionPath; at: number; positions: number[] }[];
  kept: string[];
}

function expectRestored(
  format: ConfigFormat,
  current: string,
  { original, sections, entryName }: Taken,
): Expected | null {
  const expected: Expected = { value: format.parse(current), places: [], kept: [] };
  for (const { path, positions } of sections) {
    const servers = format.listServers(current, path) ?? [];
    const at = servers.findIndex((server) => isEntry(server, entryName));
    if (at < 0) continue;
    const before = format.listServers(original, path) ?? [];
    const isAgain = (position: number): boolean => {
      const name = before[position]?.name ?? null;
      return name !== null && servers.some((server, index) => index !== at && server.name === name);
    };
    const wanted = positions.filter((position) => !isAgain(position));
    expected.kept.push(...positions.filter(isAgain).map((position) => before[position]?.name ?? ""));
    expected.places.push({ path, at, positions: wanted });
    const inserted = pick(before, wanted).map(({ name, value }) => ({ name: name ?? "", value }));
    expected.value = replaceInValue(expected.value, path, pick(servers, [at]), [at], inserted);
  }
  return expected.places.length === 0 ? null : expected;
}

/** In a list without names, an entry identifies itself. */
function isEntry({ name, value }: SectionServer, entryName: string): boolean {
  return name === entryName || (isPlainObject(value) && value.name === entryName);
}

function pick(servers: readonly SectionServer[], positions: readonly number[]): SectionServer[] {
  return positions.flatMap((at) => servers[at] ?? []);
}

/** A value with a section in which some servers are replaced by others. */
function replaceInValue(
  value: unknown,
  path: SectionPath,
  removed: readonly SectionServer[],
  positions: readonly number[],
  inserted: readonly { name: string; value: unknown }[],
): unknown {
  const [key, ...rest] = path;
  if (key !== undefined) {
    const outer = isPlainObject(value) ? value : {};
    return { ...outer, [key]: replaceInValue(outer[key], rest, removed, positions, inserted) };
  }
  if (Array.isArray(value)) {
    const [first] = positions;
    return (value as unknown[]).flatMap((item, at) => {
      if (at === first) return inserted.map((server) => server.value);
      return positions.includes(at) ? [] : [item];
    });
  }
  const names = new Set(removed.map(({ name }) => name));
  const left = Object.entries(isPlainObject(value) ? value : {}).filter(([name]) => !names.has(name));
  return Object.fromEntries([...left, ...inserted.map(({ name, value: entry }) => [name, entry])]);
}

function hasValue(format: ConfigFormat, text: string, expected: unknown): boolean {
  try {
    return isDeepStrictEqual(toPlain(format.parse(text)), toPlain(expected));
  } catch {
    return false;
  }
}

/** Parsers give objects with and without a prototype, and dates of their own. */
const toPlain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

/** Checks that the edit changes nothing else. */
function assertValue(format: ConfigFormat, text: string, expected: unknown): void {
  if (!hasValue(format, text, expected)) throw new UneditableText("is written in a way that is not edited safely");
}

/** More changed lines than this are not merged. */
const MAX_CHANGES = 2000;

/** The current text with the edits undone; null where the client has changed the lines that they are on. */
function mergeTexts(wrapped: string, current: string, { original, edits }: Taken): string | null {
  const changes = diffLines(wrapped, current, { maxEditLength: MAX_CHANGES });
  if (changes === undefined) return null;
  const unchanged: { start: number; end: number; shift: number }[] = [];
  let at = 0;
  let now = 0;
  for (const { value, added, removed } of changes) {
    if (added !== true && removed !== true) unchanged.push({ start: at, end: at + value.length, shift: now - at });
    if (added !== true) at += value.length;
    if (removed !== true) now += value.length;
  }
  let moved = 0;
  const undone: Edit[] = [];
  for (const edit of edits) {
    const start = edit.start + moved;
    const end = start + edit.text.length;
    moved += edit.text.length - (edit.end - edit.start);
    const from = findLineStart(wrapped, start);
    const to = findLineEnd(wrapped, end);
    const run = unchanged.find((each) => each.start <= from && to <= each.end);
    if (run === undefined) return null;
    undone.push({ start: start + run.shift, end: end + run.shift, text: original.slice(edit.start, edit.end) });
  }
  return applyEdits(current, undone);
}
