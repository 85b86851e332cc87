import { defineFilters, oneOf, type Params, searchText } from "@/app/_kit/list/filters";
import type { ServerLogLine } from "@/lib/contract/server";

/** The number of lines that the server keeps. */
const MAX_LINES = 2_000;

/** Adds live lines. Null where lines in between are missing: the log has to be read again. */
export function appendLines(known: readonly ServerLogLine[], heard: readonly ServerLogLine[]): ServerLogLine[] | null {
  const seqs = new Set(known.map(({ seq }) => seq));
  const lines = [...known];
  for (const line of heard) {
    if (seqs.has(line.seq)) continue;
    const last = lines.at(-1);
    if (last !== undefined && line.seq !== last.seq + 1) return null;
    seqs.add(line.seq);
    lines.push(line);
  }
  return lines.slice(-MAX_LINES);
}

/** The lines that were read, and the live lines that arrived during the read. */
export function keepNewerLines(known: readonly ServerLogLine[] = [], fresh: ServerLogLine[]): ServerLogLine[] {
  const last = fresh.at(-1);
  if (last === undefined) return fresh;
  // Numbers begin again with the server's process: older lines are of one before.
  return (
    appendLines(
      fresh,
      known.filter(({ seq, at }) => seq > last.seq && at >= last.at),
    ) ?? fresh
  );
}

export const STREAM_WORDS: Record<ServerLogLine["stream"], string> = {
  stderr: "stderr",
  stdout: "not protocol",
  notification: "notification",
  toolroom: "connection",
};
const STREAMS = Object.keys(STREAM_WORDS) as ServerLogLine["stream"][];
const LEVELS = ["debug", "info", "warn", "error"] as const;

export const LOG_FILTERS = defineFilters({
  q: searchText({ label: "Search the log", placeholder: "Search the log", instant: true }),
  stream: oneOf(STREAMS, { label: "Stream", words: { ...STREAM_WORDS, stdout: "stdout (not protocol)" } }),
  // Shows this level and worse ones.
  level: oneOf(["info", "warn", "error"], {
    label: "Minimum level",
    any: "Level: any",
    words: { info: "info and above", warn: "warn and above" },
  }),
});

export function filterLines(
  lines: readonly ServerLogLine[],
  filters: Params<typeof LOG_FILTERS.filters>,
): ServerLogLine[] {
  const search = filters.q.toLowerCase();
  const least = filters.level === null ? 0 : LEVELS.indexOf(filters.level);
  return lines.filter(
    ({ stream, level, text }) =>
      (filters.stream === null || stream === filters.stream) &&
      LEVELS.indexOf(level) >= least &&
      (search === "" || text.toLowerCase().includes(search)),
  );
}

/** The log with one entry per line, as a user would paste it into a report. */
export function formatLogText(lines: readonly ServerLogLine[]): string {
  return lines
    .map(({ at, stream, level, text }) => `${new Date(at).toISOString()} ${stream} ${level} ${text}`)
    .join("\n");
}
