import { describe, expect, it } from "vitest";
import { buildTimeline } from "./build-timeline";
import { answered, asked, called, DONE, returned, runLog, said, waited } from "./run-log.test-support";

const at = <T extends object>(ms: number, body: T): T & { at: number } => ({ ...body, at: ms });

describe("buildTimeline", () => {
  it("AGT-02 puts parallel calls beneath each other at their times", () => {
    const { bars, totalMs } = buildTimeline(
      runLog(
        at(1_000, said("x")),
        at(1_010, asked(1)),
        at(
          1_100,
          answered(1, "", [
            ["a", "{}"],
            ["b", "{}"],
          ]),
        ),
        at(1_110, called(1, 0, "a")),
        at(1_112, called(1, 1, "b")),
        at(1_200, returned(1, 1, "b", "2")),
        at(1_310, returned(1, 0, "a", "1")),
        at(1_320, DONE),
      ),
      null,
    );
    expect(totalMs).toBe(320);
    expect(bars.map(({ kind, label, startMs, endMs, status }) => [kind, label, startMs, endMs, status])).toEqual([
      ["model", "rules", 10, 100, "succeeded"],
      ["tool", "a", 110, 310, "succeeded"],
      ["tool", "b", 112, 200, "succeeded"],
    ]);
    expect(bars[0]).toMatchObject({ firstTokenMs: 40, inputTokens: 100, outputTokens: 10 });
  });

  it("leaves out the time between turns and between an end and its resumption", () => {
    const { bars, totalMs, segments } = buildTimeline(
      runLog(
        at(0, said("x")),
        at(10, asked(1)),
        at(100, { type: "turn_ended", status: "failed", error: "x" } as const),
        at(50_000, { type: "resumed" } as const),
        at(50_005, asked(2)),
        at(50_050, answered(2, "hi")),
        at(50_060, DONE),
        at(900_000, said("y")),
        at(900_010, asked(3, 1)),
        at(900_030, answered(3, "ho")),
        at(900_040, DONE),
      ),
      null,
    );
    expect(totalMs).toBe(100 + 60 + 40);
    expect(segments.map(({ startMs, endMs, resumed }) => [startMs, endMs, resumed])).toEqual([
      [0, 100, false],
      [100, 160, true],
      [160, 200, false],
    ]);
    expect(bars.map(({ startMs, endMs, status }) => [startMs, endMs, status])).toEqual([
      [10, 100, "failed"],
      [105, 150, "succeeded"],
      [170, 190, "succeeded"],
    ]);
  });

  it("AGT-05 tells the time in which a user was asked from the time in which the tool ran", () => {
    const { bars } = buildTimeline(
      runLog(
        at(0, said("x")),
        at(0, asked(1)),
        at(10, answered(1, "", [["rm", "{}"]])),
        at(10, called(1, 0, "rm", "{}", true)),
        at(5_010, returned(1, 0, "rm", "done", 200)),
        at(5_010, DONE),
      ),
      null,
    );
    expect(bars[1]).toMatchObject({ label: "rm", startMs: 10, endMs: 5_010, waitMs: 4_800, approval: true });
  });

  it("AGT-05 shows a wait from the request on, and none for a call whose approval was not requested", () => {
    const log = runLog(
      at(0, said("x")),
      at(0, asked(1)),
      at(10, answered(1, "", [["rm", "{}"]])),
      at(10, called(1, 0, "rm")),
      at(20, waited(1, 0, "rm")),
      at(5_020, waited(1, 0, "rm", true)),
    );
    expect(buildTimeline(log.slice(0, 4), 4_000).bars[1]).toMatchObject({ status: "running", waitMs: 0 });
    expect(buildTimeline(log.slice(0, 5), 4_000).bars[1]).toMatchObject({
      status: "waiting",
      waitStartMs: 20,
      waitMs: 3_980,
    });
    expect(buildTimeline(log, 6_000).bars[1]).toMatchObject({ status: "running", waitMs: 5_000 });
  });

  it("ends what is open now while the run is live, and with the last event when it is not", () => {
    const log = runLog(
      at(0, said("x")),
      at(10, asked(1)),
      at(20, answered(1, "", [["a", "{}"]])),
      at(30, called(1, 0, "a")),
    );
    const live = buildTimeline(log, 500);
    expect(live.totalMs).toBe(500);
    expect(live.bars[1]).toMatchObject({ open: true, status: "running", endMs: 500 });
    const dead = buildTimeline(log, null);
    expect(dead.totalMs).toBe(30);
    expect(dead.bars[1]).toMatchObject({ open: false, status: "interrupted", endMs: 30 });
  });

  it("shows a call that was never executed as an instant", () => {
    const { bars } = buildTimeline(runLog(said("x"), asked(1), returned(1, 0, "a", "recorded")), null);
    expect(bars[1]).toMatchObject({ label: "a", startMs: 200, endMs: 200, status: "succeeded" });
  });

  it("takes a clock that steps back without bars that end before they begin", () => {
    const { bars, totalMs } = buildTimeline(
      runLog(at(1_000, said("x")), at(1_010, asked(1)), at(500, answered(1, "hi")), at(1_020, DONE)),
      null,
    );
    expect(totalMs).toBe(20);
    expect(bars[0]?.endMs).toBeGreaterThanOrEqual(bars[0]?.startMs ?? Number.POSITIVE_INFINITY);
  });
});
