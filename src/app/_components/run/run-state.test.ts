import { describe, expect, it } from "vitest";
import type { LiveEvent } from "@/lib/contract/live-event";
import type { RunEvent } from "@/lib/contract/run";
import { answered, asked, called, DONE, runLog, said } from "@/lib/run/run-log.test-support";
import { runDetail } from "./run.test-support";
import { hearRun, type RunState, readRun } from "./run-state";

const ID = "run_aaaaaaaa1";
const LOG = runLog(said("x"), asked(1), answered(1, "hello"), DONE);

const happened = (event: RunEvent | undefined): LiveEvent => {
  if (!event) throw new Error("no such event");
  return { type: "run_event", runId: ID, event };
};
const text = (step: number, piece: string, offset?: number): LiveEvent => ({
  type: "run_text",
  runId: ID,
  step,
  text: piece,
  ...(offset === undefined ? {} : { offset }),
});

function reading(count: number, part: Parameters<typeof runDetail>[1] = {}): RunState {
  return readRun(null, runDetail(LOG.slice(0, count), { status: "running", ...part }));
}

describe("a run as a page hears it", () => {
  it("AGT-11 joins text as it comes, and drops it once the answer is in the log", () => {
    const during = hearRun(reading(2), [text(1, "hel", 0), text(1, "lo", 3)]);
    expect(during.live).toMatchObject({ step: 1, text: "hello" });
    const after = hearRun(during, [happened(LOG[2]), text(1, "late", 5)]);
    expect(after.live).toBeNull();
    expect(after.events).toHaveLength(3);
  });

  it("changes nothing when it hears an event or a piece a second time", () => {
    const once = hearRun(reading(2), [text(1, "hello", 0)]);
    expect(hearRun(once, [text(1, "hello", 0), text(1, "llo", 2), happened(LOG[1])])).toBe(once);
  });

  it("asks for a reading when an event or a piece of text was missed", () => {
    const gap = hearRun(reading(1), [happened(LOG[2])]);
    expect(gap).toMatchObject({ stale: true });
    expect(gap.events).toHaveLength(1);
    expect(hearRun(reading(2), [text(1, "lo", 3)])).toMatchObject({ stale: true });
    expect(readRun(gap, runDetail(LOG))).toMatchObject({ stale: false, events: LOG });
  });

  it("begins for a late joiner with what the model had said, and goes on from there", () => {
    const joined = reading(2, { partial: { step: 1, text: "hel", reasoning: "", calls: [] } });
    expect(joined.live?.text).toBe("hel");
    expect(hearRun(joined, [text(1, "ello", 1)]).live?.text).toBe("hello");
  });

  it("keeps what it heard when a reading is older, and takes a reading that is further", () => {
    const heard = hearRun(reading(2), [text(1, "hello", 0), happened(LOG[2]), happened(LOG[3])]);
    const old = readRun(heard, runDetail(LOG.slice(0, 2), { status: "running" }));
    expect(old.events).toHaveLength(4);
    expect(old.detail.status).toBe("succeeded");
    const half = hearRun(reading(2), [text(1, "he", 0)]);
    const further = readRun(
      half,
      runDetail(LOG.slice(0, 2), { status: "running", partial: { step: 1, text: "hell", reasoning: "", calls: [] } }),
    );
    expect(further.live?.text).toBe("hell");
  });

  it("voids what was said when the provider is asked again, whatever a reading had of it", () => {
    const again = hearRun(reading(2), [
      text(1, "wrong", 0),
      { type: "run_retry", runId: ID, step: 1, reason: "overloaded" },
      text(1, "right", 0),
    ]);
    expect(again.live).toMatchObject({ text: "right", retried: "overloaded" });
  });

  it("AGT-11 assembles the arguments of calls from their pieces", () => {
    const call = (callId: string, argumentsDelta: string, offset: number): LiveEvent => ({
      type: "run_call",
      runId: ID,
      step: 1,
      callId,
      name: "echo",
      argumentsDelta,
      offset,
    });
    const { live } = hearRun(reading(2), [call("a", '{"x"', 0), call("b", "{}", 0), call("a", ":1}", 4)]);
    expect(live?.calls.map(({ callId, argumentsText }) => [callId, argumentsText])).toEqual([
      ["a", '{"x":1}'],
      ["b", "{}"],
    ]);
  });

  it("follows the run's state and its calls' states, and leaves other runs alone", () => {
    const log = runLog(said("x"), asked(1), answered(1, "", [["rm", "{}"]]), called(1, 0, "rm", "{}", true));
    const state = readRun(null, runDetail(log, { status: "waiting" }));
    const execution = (id: string): LiveEvent => ({
      type: "execution",
      execution: { id, toolName: "rm", status: "running", source: "agent", parentId: null },
    });
    const run = (id: string): LiveEvent => ({
      type: "run",
      run: { id, status: "running", source: "agent", transcriptId: null },
    });
    const next = hearRun(state, [execution("exec_c10"), run(ID)]);
    expect(next.executions.get("exec_c10")).toBe("running");
    expect(next.detail.status).toBe("running");
    expect(hearRun(state, [execution("exec_other"), run("run_other0000")])).toBe(state);
  });
});
