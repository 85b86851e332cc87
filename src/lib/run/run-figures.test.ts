import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunEvent, RunEventBody } from "../contract/run";
import { buildTimeline } from "./build-timeline";
import { buildTurns } from "./build-turns";
import { activeTimeAt, addLaterEvents, FigureSum, isTakenOver } from "./run-figures";
import { answered, asked, called, DONE, returned, runLog, said, waited } from "./run-log.test-support";

const at = <T extends object>(ms: number, body: T): T & { at: number } => ({ ...body, at: ms });

function computeFigures(events: readonly RunEvent[]) {
  const sum = new FigureSum();
  for (const event of events) sum.add(event);
  return sum.figures;
}

const failedCall = (kind: string): RunEventBody => {
  const body = returned(1, 0, "rm", "", 0);
  if (body.type !== "tool_finished") return body;
  return { ...body, status: "failed", result: { ...body.result, exception: { kind, message: "x" } as never } };
};

const APPROVED = runLog(
  at(0, said("x")),
  at(10, asked(1)),
  at(1_000, answered(1, "", [["rm", "{}"]])),
  at(1_000, called(1, 0, "rm", "{}", true)),
  at(61_200, returned(1, 0, "rm", "gone", 200)),
  at(61_210, asked(2)),
  at(62_000, answered(2, "done")),
  at(62_000, DONE),
);

describe("the figures of a run", () => {
  it("count waiting for approval apart from active time, also where the log holds no approval", () => {
    expect(computeFigures(APPROVED)).toEqual({
      activeMs: 1_000 + 200 + 800,
      waitMs: 60_000,
      modelCalls: 2,
      toolCalls: 1,
      failedToolCalls: 0,
    });
  });

  it("count the time between the request and its approval as waiting", () => {
    const log = runLog(
      at(0, said("x")),
      at(0, called(1, 0, "rm")),
      at(1_000, waited(1, 0, "rm")),
      at(11_000, waited(1, 0, "rm", true)),
      at(14_000, returned(1, 0, "rm", "gone", 4_000)),
      at(14_000, DONE),
    );
    expect(computeFigures(log)).toMatchObject({ activeMs: 4_000, waitMs: 10_000 });
  });

  it("AGT-03 count no waiting for a call with invalid arguments, also where an older log says that its tool requires approval", () => {
    const log = runLog(
      at(0, said("x")),
      at(0, called(1, 0, "rm", "{}", true)),
      at(1_400, failedCall("invalid_arguments")),
      at(1_400, DONE),
    );
    expect(computeFigures(log)).toMatchObject({ activeMs: 1_400, waitMs: 0 });
  });

  it("count time as active while any open call runs", () => {
    const log = runLog(
      at(0, said("x")),
      at(0, called(1, 0, "a")),
      at(0, called(1, 1, "b", "{}", true)),
      at(5_000, returned(1, 0, "a", "1", 5_000)),
      at(100_000, returned(1, 1, "b", "2", 3_000)),
      at(100_000, DONE),
    );
    expect(computeFigures(log)).toMatchObject({ activeMs: 8_000, waitMs: 92_000 });
  });

  it("leave out the time between turns and the time for which a process was dead", () => {
    const log = runLog(
      at(0, said("x")),
      at(100, asked(1)),
      at(9_000_000, { type: "turn_ended", status: "interrupted", error: null } as const),
      at(9_100_000, { type: "resumed" } as const),
      at(9_100_050, answered(2, "hi")),
      at(9_100_060, DONE),
      at(99_000_000, said("y")),
      at(99_000_020, DONE),
    );
    expect(computeFigures(log)).toMatchObject({ activeMs: 100 + 60 + 20, waitMs: 0 });
    expect(buildTimeline(log, null).totalMs).toBe(180);
  });

  it.each([
    ["tool_error", 1],
    ["timeout", 1],
    ["rejected", 0],
    ["approval_expired", 0],
    ["cancelled", 0],
    ["invalid_arguments", 1],
    ["malformed_arguments", 1],
  ])("count a call that ended with %s as %d failures", (kind, failures) => {
    expect(computeFigures(runLog(said("x"), failedCall(kind)))).toMatchObject({
      toolCalls: 1,
      failedToolCalls: failures,
    });
  });

  it("agree between the run, its turns and its timeline for any log", () => {
    const step = fc.oneof(
      fc.constantFrom<RunEventBody>(said("x"), asked(1), answered(1, "hi"), DONE, { type: "resumed" }),
      fc.nat(3).map((call) => called(1, call, "a", "{}", call % 2 === 1 || undefined)),
      fc.tuple(fc.nat(3), fc.boolean()).map(([call, granted]) => waited(1, call, "a", granted)),
      fc.tuple(fc.nat(3), fc.nat(900)).map(([call, ms]) => returned(1, call, "a", "1", ms)),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.nat(1_000)), { maxLength: 40 }), (steps) => {
        let now = 0;
        const log = runLog(
          at(0, said("first")),
          ...steps.map(([body, ms]) => {
            now += ms;
            return at(now, body);
          }),
        );
        const { activeMs, waitMs, modelCalls } = computeFigures(log);
        expect(activeMs + waitMs).toBe(buildTimeline(log, null).totalMs);
        const turns = buildTurns(log);
        expect(turns.reduce((sum, { figures }) => sum + figures.activeMs, 0)).toBe(activeMs);
        expect(turns.reduce((sum, { figures }) => sum + figures.modelCalls, 0)).toBe(modelCalls);
      }),
    );
  });
});

describe("a rerun", () => {
  const origin = { parentId: "run_parent", startedAt: 1_000_000 };
  const log = runLog(
    at(0, said("x")),
    at(10, asked(1)),
    at(900, answered(1, "", [["a", "{}"]])),
    at(900, called(1, 0, "a")),
    at(950, returned(1, 0, "a", "1")),
    at(1_000_005, asked(2)),
    at(1_000_405, answered(2, "done")),
    at(1_000_410, DONE),
  );

  it("has its own figures in its turns and on its timeline, not those of the events that it took over", () => {
    const own = computeFigures(log.filter((event) => !isTakenOver(event, origin)));
    expect(own).toMatchObject({ activeMs: 405, modelCalls: 1, toolCalls: 0 });
    const [turn] = buildTurns(log, origin);
    expect(turn).toMatchObject({ takenOver: "some", figures: own, usage: { inputTokens: 100 } });
    const timeline = buildTimeline(log, null, origin);
    expect(timeline.totalMs).toBe(405);
    expect(timeline.bars.map(({ step }) => step)).toEqual([2]);
  });

  it("from the first step takes over the message, and no step", () => {
    expect(buildTurns([...log.slice(0, 1), ...log.slice(5)], origin)).toMatchObject([{ takenOver: "no" }]);
    expect(buildTurns(log.slice(0, 1), origin)).toMatchObject([{ takenOver: "all" }]);
  });

  it("that was read before its first own event does not count the time since its parent", () => {
    const read = { ...NOTHING, ...origin, eventCount: 5, activeSince: 1_000_000 };
    expect(addLaterEvents(read, log.slice(0, 7))).toMatchObject({
      activeMs: 400,
      activeSince: 1_000_405,
      modelCalls: 1,
    });
  });
});

const NOTHING = {
  activeMs: 0,
  modelCalls: 0,
  toolCalls: 0,
  failedToolCalls: 0,
  activeSince: 0,
  status: "running" as const,
  eventCount: 0,
  parentId: null,
  startedAt: 0,
};

describe("active time", () => {
  it("runs on from the last event while a response streams", () => {
    const read = addLaterEvents(NOTHING, runLog(at(0, said("x")), at(2, asked(1))));
    expect(read).toMatchObject({ activeMs: 2, activeSince: 2, modelCalls: 1 });
    expect(activeTimeAt(read, 8_002)).toBe(8_002);
    expect(activeTimeAt(read, null)).toBe(2);
  });

  it("stands still while the run waits for approval, and after its end", () => {
    expect(activeTimeAt({ activeMs: 700, activeSince: null }, 9e12)).toBe(700);
    expect(addLaterEvents({ ...NOTHING, status: "waiting" }, APPROVED.slice(0, 4))).toMatchObject({
      activeMs: 1_000,
      activeSince: null,
    });
  });

  it("adds the events that came after the sums were read, in a log of which only the end is loaded", () => {
    const read = { ...NOTHING, activeMs: 5_000, modelCalls: 9, toolCalls: 20, eventCount: 5 };
    expect(addLaterEvents(read, APPROVED.slice(3, 7))).toMatchObject({
      activeMs: 5_000 + 10 + 790,
      modelCalls: 10,
      toolCalls: 20,
    });
  });
});
