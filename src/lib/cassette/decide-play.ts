import type { CassetteDifference, CassetteFigures, CassettePlay, CassetteSettings } from "../contract/cassette";
import { isPlainObject } from "../contract/json";
import { writeJsonStart } from "../contract/json-start";
import { areSameNumber } from "../json/decimal";
import { parsePointer } from "../json/json-pointer";
import { hasMask, replaceMasks } from "../masked-value";
import type { CassetteCall, CassetteContent } from "./cassette-file";

const MAX_SHOWN_CHARS = 120;
const ANY = "*";
const SPLIT = "\u0000";

export interface PlayRequest {
  kind: CassetteCall["kind"];
  name: string;
  args: Record<string, unknown>;
}

/** The earlier requests of a session, as far as they decide the next answer. */
export type EarlierPlay = Pick<CassettePlay, "outcome" | "recording">;

export type Decision =
  | { outcome: "served" | "repeated"; recording: number; outOfOrder: boolean }
  | { outcome: "missed"; recording: number | null; message: string; differences: CassetteDifference[] };

const MAX_DIFFERENCES = 20;
const SHOWN_DIFFERENCES = 3;

/** Decides which recording answers a request: of equal ones the next in order. */
export function decidePlay(
  { calls, tools }: CassetteContent,
  settings: Pick<CassetteSettings, "ignore" | "repeats">,
  earlier: readonly EarlierPlay[],
  request: PlayRequest,
): Decision {
  const ignored = toIgnored(settings.ignore, request.name);
  const candidates = calls.flatMap((call, index) => (isFor(call, request) ? [{ number: index + 1, call }] : []));
  if (candidates.length === 0) {
    const known = request.kind === "tool" && tools.some(({ entry }) => entry.name === request.name);
    const message = known
      ? `The tool '${request.name}' was never called while this was recorded`
      : `${KIND_WORDS[request.kind]} '${request.name}' is not part of this cassette`;
    return { outcome: "missed", recording: null, message, differences: [] };
  }
  const matching = candidates.filter(({ call }) => findDifferences(call.args, request.args, ignored, 1).length === 0);
  const used = new Set(earlier.flatMap(({ outcome, recording }) => (outcome === "served" ? (recording ?? []) : [])));
  const next = matching.find(({ number }) => !used.has(number));
  if (next !== undefined) {
    const outOfOrder = [...used].some((number) => number > next.number);
    return { outcome: "served", recording: next.number, outOfOrder };
  }
  const last = matching.at(-1);
  if (last !== undefined) {
    if (settings.repeats === "last") return { outcome: "repeated", recording: last.number, outOfOrder: false };
    const times = matching.length === 1 ? "once" : `${matching.length} times`;
    const message = `'${request.name}' was recorded ${times} with these arguments, and this session has had all of it`;
    return { outcome: "missed", recording: last.number, message, differences: [] };
  }
  const nearest = findNearest(candidates, request.args, ignored);
  return { outcome: "missed", ...nearest, message: describeMiss(request, nearest, calls.length) };
}

const KIND_WORDS = { tool: "The tool", resource: "The resource", prompt: "The prompt" };

/** Prompts go by their server's own name too. */
function isFor(call: CassetteCall, { kind, name }: PlayRequest): boolean {
  if (call.kind !== kind) return false;
  return call.name === name || (kind === "prompt" && call.name === `${call.server}__${name}`);
}

function findNearest(
  candidates: readonly { number: number; call: CassetteCall }[],
  args: unknown,
  ignored: ReturnType<typeof toIgnored>,
): { recording: number; differences: CassetteDifference[] } {
  let nearest: { recording: number; differences: CassetteDifference[] } | null = null;
  for (const { number, call } of candidates) {
    const most = nearest?.differences.length ?? MAX_DIFFERENCES;
    const differences = findDifferences(call.args, args, ignored, most);
    if (nearest === null || differences.length < nearest.differences.length)
      nearest = { recording: number, differences };
  }
  return nearest as { recording: number; differences: CassetteDifference[] };
}

function describeMiss(
  { name }: PlayRequest,
  { recording, differences }: { recording: number; differences: readonly CassetteDifference[] },
  total: number,
): string {
  const shown = differences.slice(0, SHOWN_DIFFERENCES).map(({ path, recorded, received }) => {
    const place = path === "" ? "the arguments" : path;
    if (recorded === null) return `${place} was not recorded (received ${received})`;
    return `${place}: recorded ${recorded}, ${received === null ? "not received" : `received ${received}`}`;
  });
  const more = differences.length > shown.length ? `; and ${differences.length - shown.length} more` : "";
  return `No recording of '${name}' has these arguments. Nearest: call ${recording} of ${total}, which differs at ${shown.join("; ")}${more}`;
}

export function countPlays(
  total: number,
  plays: readonly Pick<CassettePlay, "outcome" | "recording" | "outOfOrder">[],
): CassetteFigures {
  const count = (...outcomes: CassettePlay["outcome"][]): number =>
    plays.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const reused = new Set(plays.flatMap(({ outcome, recording }) => (outcome === "served" ? (recording ?? []) : [])))
    .size;
  return {
    recorded: total,
    reused,
    served: count("served", "repeated"),
    misses: count("missed"),
    live: count("live"),
    unused: total - reused,
    outOfOrder: plays.filter(({ outOfOrder }) => outOfOrder).length,
    repeats: count("repeated"),
    faults: count("fault"),
  };
}

/** The report in one line. */
export function formatFigures({ reused, recorded, misses, live, ...rest }: CassetteFigures): string {
  const { unused, outOfOrder, repeats, faults } = rest;
  const others = { unused, "out-of-order": outOfOrder, repeats, faults };
  const extra = Object.entries(others).flatMap(([name, value]) => (value === 0 ? [] : [`${name}=${value}`]));
  return [`reused=${reused}/${recorded}`, `misses=${misses}`, `live=${live}`, ...extra].join(" ");
}

/** The figures that `--fail-on` names. */
export const FAIL_ON = {
  misses: "misses",
  unused: "unused",
  order: "outOfOrder",
  repeats: "repeats",
  live: "live",
} as const satisfies Record<string, keyof CassetteFigures>;

type Pointer = readonly string[];

/** The ignored paths that hold for a tool. */
export function toIgnored(paths: readonly string[], tool: string): Pointer[] {
  return paths.flatMap((path) => {
    const slash = path.indexOf("/");
    const owner = path.slice(0, Math.max(0, slash - 1));
    return owner === "" || owner === tool ? [parsePointer(path.slice(slash))] : [];
  });
}

/** The paths where received arguments differ from recorded ones, at most `max`. A mask equals any value. */
export function findDifferences(
  recorded: unknown,
  received: unknown,
  ignored: readonly Pointer[],
  max: number,
): CassetteDifference[] {
  const found: CassetteDifference[] = [];
  compare(recorded, received, null, { ignored, max, found });
  return found;
}

interface Comparison {
  ignored: readonly Pointer[];
  max: number;
  found: CassetteDifference[];
}

/** A path as a list from its end, since most comparisons need no path. */
interface Place {
  above: Place | null;
  token: string;
}

function compare(recorded: unknown, received: unknown, at: Place | null, comparison: Comparison): void {
  const { ignored, max, found } = comparison;
  if (found.length >= max || (ignored.length > 0 && isIgnored(ignored, at))) return;
  if (isPlainObject(recorded) && isPlainObject(received)) {
    for (const key of Object.keys(recorded)) {
      compare(recorded[key], member(received, key), { above: at, token: key }, comparison);
      if (found.length >= max) return;
    }
    for (const key of Object.keys(received)) {
      if (!Object.hasOwn(recorded, key)) compare(undefined, received[key], { above: at, token: key }, comparison);
    }
  } else if (Array.isArray(recorded) && Array.isArray(received)) {
    for (let index = 0; index < Math.max(recorded.length, received.length) && found.length < max; index += 1) {
      compare(recorded[index], received[index], { above: at, token: String(index) }, comparison);
    }
  } else if (!areEqual(recorded, received)) {
    found.push({ path: toPath(toTokens(at)), recorded: show(recorded), received: show(received) });
  }
}

const member = (object: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;

function toTokens(at: Place | null): string[] {
  const tokens: string[] = [];
  for (let place = at; place !== null; place = place.above) tokens.push(place.token);
  return tokens.reverse();
}

function isIgnored(ignored: readonly Pointer[], at: Place | null): boolean {
  const tokens = toTokens(at);
  return ignored.some((pointer) => covers(pointer, tokens));
}

function covers(pointer: Pointer, at: readonly string[]): boolean {
  return pointer.length === at.length && pointer.every((token, index) => token === ANY || token === at[index]);
}

/** A text may hold masks beside other characters, which have to be the same. */
function areEqual(recorded: unknown, received: unknown): boolean {
  if (recorded === received || areSameNumber(recorded, received)) return true;
  if (typeof recorded !== "string" || received === undefined || !hasMask(recorded)) return false;
  const parts = replaceMasks(recorded, () => SPLIT).split(SPLIT);
  if (parts.every((part) => part === "")) return true;
  if (typeof received !== "string") return false;
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (received.length < first.length + last.length || !received.startsWith(first) || !received.endsWith(last))
    return false;
  let from = first.length;
  for (const part of parts.slice(1, -1)) {
    const next = received.indexOf(part, from);
    if (next < 0 || next + part.length > received.length - last.length) return false;
    from = next + part.length;
  }
  return true;
}

const toPath = (at: readonly string[]): string =>
  at.map((token) => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

function show(value: unknown): string | null {
  const text = writeJsonStart(value, MAX_SHOWN_CHARS);
  if (text === undefined) return null;
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
}
