import { describe, expect, it } from "vitest";
import { runDetail } from "@/app/_components/runs/summary/run.test-support";
import type { LiveEvent } from "@/lib/contract/live-event";
import type { RunEvent } from "@/lib/contract/run";
import { answered, asked, called, DONE, runLog, said } from "@/lib/run/run-log.test-support";
import { firstIndex, hearRun, type RunState, readOlder, readRun } from "./run-state";

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

describe("a run from live events", () => {
  it("AGT-11 joins text as it comes, and drops it once the answer is in the log", () => {
    const during = hearRun(reading(2), [text(1, "hel", 0), text(1, "lo", 3)]);
    expect(during.live).toMatchObject({ step: 1, text: "hello" });
    const after = hearRun(during, [happened(LOG[2]), text(1, "late", 5)]);
    expect(after.live).toBeNull();
    expect(after.events).toHaveLength(3);
  });

  it("ignores an event or a text piece that it already has", () => {
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

  it("keeps the end of a long log without gaps, and takes older events before it", () => {
    const newest = readRun(null, runDetail(LOG.slice(1, 3), { status: "running", eventCount: 3 }));
    expect(firstIndex(newest.events)).toBe(1);
    const heard = hearRun(newest, [happened(LOG[3])]);
    expect(heard.events).toEqual(LOG.slice(1));
    expect(readOlder(heard, LOG.slice(0, 1)).events).toEqual(LOG);
    expect(readOlder(heard, [])).toBe(heard);
    const read = readRun(readOlder(heard, LOG.slice(0, 1)), runDetail(LOG.slice(2), { eventCount: 4 }));
    expect(read.events).toEqual(LOG);
    const far = readRun(readRun(null, runDetail(LOG.slice(0, 1))), runDetail(LOG.slice(2)));
    expect(far.events).toEqual(LOG.slice(2));
  });

  it("appends pieces to a text whose beginning it has not received", () => {
    const partial = { step: 1, text: "tail", textFrom: 100, reasoning: "", calls: [] };
    const joined = reading(2, { partial });
    expect(hearRun(joined, [text(1, "tail+more", 100)]).live?.text).toBe("tail+more");
    expect(hearRun(joined, [text(1, "before tail and", 93)]).live?.text).toBe("tail and");
    expect(hearRun(joined, [text(1, "!", 104)]).live?.text).toBe("tail!");
    expect(hearRun(joined, [text(1, "!", 105)])).toMatchObject({ stale: true });
  });

  it("starts for a late subscriber with the partial response, and continues from there", () => {
    const joined = reading(2, { partial: { step: 1, text: "hel", reasoning: "", calls: [] } });
    expect(joined.live?.text).toBe("hel");
    expect(hearRun(joined, [text(1, "ello", 1)]).live?.text).toBe("hello");
  });

  it("keeps its events when a read is older, and takes over a newer read", () => {
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
