import type { Actor } from "../../src/lib/contract/actor";
import type { ExecutionSource } from "../../src/lib/contract/envelope";
import { type CallOrigin, newPastId } from "./past-calls";
import { createRandom, type Random } from "./random";
import { findActor, type PastCall, readStories, type Teller } from "./read-stories";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
export const DAY_MS = 24 * HOUR;

export type PlannedEnd = "succeeded" | "invalid" | "tool_error" | "unavailable" | "timeout" | "cancelled" | "not_found";

interface WeekTool {
  name: string;
  /** Calls of this tool among those of all. */
  weight: number;
  medianMs: number;
  spread: number;
  service: string | undefined;
  /** Whether it fails by itself; a mock never does. */
  hasErrors: boolean;
  tell: Teller;
}

/** One call of the past, before its duration is made up. */
export interface PlannedCall {
  id: string;
  at: number;
  tool: WeekTool;
  toolName: string;
  call: PastCall;
  end: PlannedEnd;
  origin: CallOrigin;
}

interface Session {
  weight: number;
  source: ExecutionSource;
  /** Least and most calls, and milliseconds between two of them. */
  calls: readonly [number, number];
  pauseMs: readonly [number, number];
}

const SESSIONS: readonly Session[] = [
  { weight: 40, source: "agent", calls: [2, 6], pauseMs: [900, 6 * SECOND] },
  { weight: 28, source: "gateway", calls: [1, 4], pauseMs: [2 * SECOND, 25 * SECOND] },
  { weight: 20, source: "console", calls: [1, 4], pauseMs: [8 * SECOND, 70 * SECOND] },
  { weight: 12, source: "api", calls: [1, 2], pauseMs: [300, 2 * SECOND] },
];

const PEOPLE = ["local", "ines", "tom", "mei"].map(findActor);
const SUPPORT_AGENT: Actor = { id: "support-agent", name: "Support agent" };
const SHOP: Actor = { id: "shop-backend", name: "Shop backend" };
const NIGHTLY_REPORT: Actor = { id: "nightly-report", name: "Nightly report" };
const REPORT_EVERY_MS = 3 * HOUR;
const CLIENTS = ["Claude Code/2.1.4", "Cursor/1.9.2", "VS Code/1.118.0"] as const;

/** Sessions of a day, Sunday first, and how they are spread over its hours (UTC). */
const SESSIONS_OF_WEEKDAY = [58, 188, 212, 224, 205, 176, 49] as const;
const WEIGHT_OF_HOUR = [1, 1, 1, 1, 2, 4, 9, 18, 30, 38, 40, 33, 22, 34, 39, 36, 28, 18, 11, 8, 6, 4, 2, 1];
const WEDNESDAY = 3;
/** A name that some clients call, and no tool has. */
const MISSPELLED = "find-customer";

const readWeekTools = (): WeekTool[] =>
  readStories("week.txt").map((tell) => {
    const { head, calls } = tell(createRandom(0));
    const [weight, spread, service] = head;
    const { tool: name, ms: medianMs } = calls[0] ?? { tool: "", ms: 0 };
    const hasErrors = calls.some(({ error }) => error !== undefined);
    return { name, weight: Number(weight), medianMs, spread: Number(spread), service, hasErrors, tell };
  });

let weekTools: readonly WeekTool[] | null = null;

/**
 * Everything that happens on a day (UTC), in order of time. The same day is the same for everyone and at any time, so
 * that a later run finds what an earlier one has written.
 * @param day epoch milliseconds of its beginning
 */
export function planDay(day: number): PlannedCall[] {
  const random = createRandom(day / DAY_MS);
  const count = SESSIONS_OF_WEEKDAY[new Date(day).getUTCDay()] ?? 0;
  const hours = WEIGHT_OF_HOUR.map((weight, hour) => ({ weight, hour }));
  const calls: PlannedCall[] = [];
  for (let session = 0; session < count; session += 1) {
    const begin = day + random.weighted(hours).hour * HOUR + random.int(0, HOUR - 1);
    calls.push(...planSession(random, random.weighted(SESSIONS), begin));
  }
  for (let begin = day; begin < day + DAY_MS; begin += REPORT_EVERY_MS) {
    const origin = { source: "background", actor: NIGHTLY_REPORT } as const;
    calls.push(planCall(random, begin + random.int(0, 4 * SECOND), origin));
  }
  return calls.filter(({ at }) => at < day + DAY_MS).sort((left, right) => left.at - right.at);
}

function planSession(random: Random, session: Session, begin: number): PlannedCall[] {
  const { source, calls: bounds, pauseMs } = session;
  const actor = source === "agent" ? SUPPORT_AGENT : source === "api" ? SHOP : random.pick(PEOPLE);
  const client = source === "gateway" ? random.pick(CLIENTS) : null;
  const runId = source === "agent" ? `run_${random.letters(6)}` : null;
  const calls: PlannedCall[] = [];
  let at = begin;
  for (let left = random.int(...bounds); left > 0; left -= 1) {
    const callId = source === "agent" ? `call_${random.letters(12)}` : null;
    calls.push(planCall(random, at, { source, actor, client, runId, callId }));
    at += random.int(...pauseMs);
  }
  const [first] = calls;
  if (source === "console" && first !== undefined && first.end !== "not_found" && random.chance(0.3)) {
    const { tool, toolName, call } = first;
    const replay = planCall(random, at + random.int(5 * SECOND, MINUTE), {
      source: "replay",
      actor,
      parentId: first.id,
    });
    calls.push({ ...replay, tool, toolName, call, end: first.end === "invalid" ? "invalid" : "succeeded" });
  }
  return calls;
}

function planCall(
  random: Random,
  at: number,
  origin: Pick<CallOrigin, "source" | "actor"> & Partial<CallOrigin>,
): PlannedCall {
  weekTools ??= readWeekTools();
  const tool = random.weighted(weekTools);
  const end = planEnd(random, tool, at);
  const calls = tool.tell(random, at).calls.filter(({ result, error }) => {
    if (end === "tool_error") return error !== undefined;
    return error === undefined && (result === undefined) === (end === "invalid");
  });
  return {
    id: newPastId(at, random),
    at,
    tool,
    toolName: end === "not_found" ? MISSPELLED : tool.name,
    call: random.pick(calls),
    end,
    origin: { client: null, runId: null, callId: null, parentId: null, ...origin },
  };
}

/** Some two calls of a hundred fail, and every Wednesday, early in the afternoon, the order service is down. */
function planEnd(random: Random, tool: WeekTool, at: number): PlannedEnd {
  const minute = Math.floor((at % DAY_MS) / MINUTE);
  const down = new Date(at).getUTCDay() === WEDNESDAY && minute >= 13 * 60 + 20 && minute < 14 * 60 + 5;
  if (down && tool.name === "list_orders" && random.chance(0.85)) return "unavailable";
  if (random.chance(0.974)) return "succeeded";
  const { kind } = random.weighted([
    { weight: 44, kind: "invalid" },
    { weight: tool.hasErrors ? 26 : 0, kind: "tool_error" },
    { weight: tool.service === undefined ? 0 : 9, kind: "unavailable" },
    { weight: tool.medianMs > 1000 ? 60 : 0, kind: "timeout" },
    { weight: tool.medianMs > 100 ? 10 : 0, kind: "cancelled" },
    { weight: 4, kind: "not_found" },
  ] as const);
  return kind;
}
