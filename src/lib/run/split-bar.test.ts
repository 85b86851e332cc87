import { describe, expect, it } from "vitest";
import type { RunEventBody } from "../contract/run";
import { buildTimeline, type TimelineBar } from "./build-timeline";
import { answered, asked, called, DONE, returned, runLog, said, waited } from "./run-log.test-support";
import { type BarPartKind, splitBar } from "./split-bar";

/** Numbers from 0 to 1 that are the same for the same seed. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

/** What a generated call did, by its execution. */
interface Call {
  startedAt: number;
  requestedAt: number | null;
  grantedAt: number | null;
  endedAt: number;
  durationMs: number;
}

type TimedBody = RunEventBody & { at: number };

/** Turns with idle time between them, each with parallel calls, some of which wait for approval. */
function createRun(random: () => number): { log: ReturnType<typeof runLog>; calls: Map<string, Call>; idleMs: number } {
  const below = (most: number): number => Math.floor(random() * most);
  const calls = new Map<string, Call>();
  const bodies: TimedBody[] = [];
  let clock = 1_000;
  let idleMs = 0;
  const turns = 1 + below(3);
  for (let step = 1; step <= turns; step += 1) {
    if (step > 1) {
      const idle = 1_000 + below(50_000);
      clock += idle;
      idleMs += idle;
    }
    bodies.push({ ...said("x"), at: clock }, { ...asked(step, 1), at: clock + 5 });
    const count = 1 + below(4);
    const names = Array.from({ length: count }, (_, at): [string, string] => [`t${at}`, "{}"]);
    const answeredAt = clock + 5 + 90 + below(20);
    bodies.push({ ...answered(step, "", names), at: answeredAt });
    const events: TimedBody[] = [];
    for (let position = 0; position < count; position += 1) {
      const startedAt = answeredAt + below(30);
      const needsApproval = random() < 0.5;
      const requestedAt = needsApproval ? startedAt + below(20) : null;
      const grantedAt = requestedAt === null ? null : requestedAt + below(5_000);
      const durationMs = below(800);
      const endedAt = (grantedAt ?? startedAt) + below(40) + durationMs;
      const name = `t${position}`;
      events.push({ ...called(step, position, name), at: startedAt });
      if (requestedAt !== null) events.push({ ...waited(step, position, name), at: requestedAt });
      if (grantedAt !== null) events.push({ ...waited(step, position, name, true), at: grantedAt });
      events.push({ ...returned(step, position, name, "1", durationMs), at: endedAt });
      calls.set(`exec_c${step}${position}`, { startedAt, requestedAt, grantedAt, endedAt, durationMs });
    }
    events.sort((one, other) => one.at - other.at);
    bodies.push(...events);
    clock = Math.max(...events.map(({ at }) => at)) + 10;
    bodies.push({ ...DONE, at: clock });
  }
  return { log: runLog(...bodies), calls, idleMs };
}

function sumParts(bar: TimelineBar, ...kinds: BarPartKind[]): number {
  return splitBar(bar)
    .filter(({ kind }) => kinds.includes(kind))
    .reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
}

describe("the drawing of a timeline", () => {
  it.each(Array.from({ length: 200 }, (_, seed) => seed + 1))(
    "has the lengths, gaps and order of its figures, seed %i",
    (seed) => {
      const { log, calls, idleMs } = createRun(seededRandom(seed));
      const { bars, totalMs, segments } = buildTimeline(log, null);
      const first = log[0]?.at ?? 0;
      expect(totalMs).toBe((log.at(-1)?.at ?? 0) - first - idleMs);
      expect(segments.map(({ startMs }) => startMs).slice(1)).toEqual(segments.map(({ endMs }) => endMs).slice(0, -1));
      expect(bars.map(({ startMs }) => startMs)).toEqual(bars.map(({ startMs }) => startMs).sort((a, b) => a - b));
      for (const bar of bars) {
        const parts = splitBar(bar);
        const edges = parts.flatMap(({ startMs, endMs }) => [startMs, endMs]);
        // No gap, no overlap, nothing beyond the bar.
        if (parts.length > 0) expect([edges[0], edges.at(-1)]).toEqual([bar.startMs, bar.endMs]);
        for (let at = 1; at < parts.length; at += 1) expect(parts[at]?.startMs).toBe(parts[at - 1]?.endMs);
        expect(bar.startMs).toBeGreaterThanOrEqual(0);
        expect(bar.endMs).toBeLessThanOrEqual(totalMs);
        expect(sumParts(bar, "run", "before")).toBe(bar.durationMs);
        const call = calls.get(bar.executionId ?? "");
        if (call === undefined) continue;
        const waitMs = (call.grantedAt ?? 0) - (call.requestedAt ?? 0);
        expect([sumParts(bar, "wait"), bar.waitMs, bar.endMs - bar.startMs]).toEqual([
          waitMs,
          waitMs,
          call.endedAt - call.startedAt,
        ]);
      }
      // Calls overlap on the axis where they did, and only there.
      const drawn = bars.filter(({ executionId }) => calls.has(executionId ?? ""));
      for (const one of drawn) {
        for (const other of drawn) {
          const a = calls.get(one.executionId ?? "");
          const b = calls.get(other.executionId ?? "");
          if (a === undefined || b === undefined) continue;
          const did = a.startedAt < b.endedAt && b.startedAt < a.endedAt;
          expect(one.startMs < other.endMs && other.startMs < one.endMs).toBe(did);
        }
      }
    },
  );

  it("draws a call that waits until now, one of an earlier version, and one whose end hidden idle time cuts off", () => {
    const at = <T extends object>(ms: number, body: T): T & { at: number } => ({ ...body, at: ms });
    const log = runLog(
      at(0, said("x")),
      at(0, asked(1)),
      at(10, answered(1, "", [["rm", "{}"]])),
      at(10, called(1, 0, "rm")),
      at(30, waited(1, 0, "rm")),
    );
    const [, waiting] = buildTimeline(log, 500).bars;
    expect(splitBar(waiting as TimelineBar)).toEqual([
      { kind: "around", startMs: 10, endMs: 30 },
      { kind: "wait", startMs: 30, endMs: 500 },
    ]);
    const earlier = runLog(
      at(0, said("x")),
      at(0, asked(1)),
      at(10, answered(1, "", [["rm", "{}"]])),
      at(10, called(1, 0, "rm", "{}", true)),
      at(5_010, returned(1, 0, "rm", "done", 200)),
    );
    const [, old] = buildTimeline(earlier, null).bars;
    expect(splitBar(old as TimelineBar)).toEqual([
      { kind: "wait", startMs: 10, endMs: 4_810 },
      { kind: "run", startMs: 4_810, endMs: 5_010 },
    ]);
    const cut = { ...(old as TimelineBar), waitMs: 0, startMs: 10, endMs: 100, waitStartMs: 10, durationMs: 9_000 };
    expect(splitBar(cut)).toEqual([{ kind: "run", startMs: 10, endMs: 100 }]);
  });
});
