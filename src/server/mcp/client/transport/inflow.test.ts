import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Inflow } from "./inflow";

const LIMITS = { perSecond: 100, perCall: 50, burst: 200, maxFloodMs: 5000 };
let calls = { size: 0 };
let lines: string[] = [];
let ends: string[] = [];

function open(): Inflow {
  calls = { size: 0 };
  lines = [];
  ends = [];
  const log = { add: (_stream: string, _level: string, text: string) => lines.push(text) > 0 };
  return new Inflow(LIMITS, { log, calls, end: (reason) => ends.push(reason) });
}

/** How many messages are read in this time by a reader that does as it is told. */
async function readFor(inflow: Inflow, ms: number): Promise<number> {
  const until = performance.now() + ms;
  let read = 0;
  while (performance.now() < until && ends.length === 0) {
    inflow.count(false);
    read += 1;
    const pause = inflow.pause();
    if (pause === null) continue;
    await vi.advanceTimersByTimeAsync(1);
    let waits = true;
    void pause.then(() => {
      waits = false;
    });
    while (waits) await vi.advanceTimersByTimeAsync(10);
  }
  return read;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "setImmediate", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("requests and notifications of a server", () => {
  it("are read at once up to the burst, with a turn for other work in between, and then at their rate", async () => {
    const inflow = open();
    const read = await readFor(inflow, 4000);
    expect(read).toBeGreaterThanOrEqual(500);
    expect(read).toBeLessThanOrEqual(700);
    expect(lines).toEqual(["The server sends too many requests and notifications: its messages are read more slowly"]);
    expect(ends).toEqual([]);
  });

  it("may be more while calls run", async () => {
    const inflow = open();
    calls.size = 10;
    expect(await readFor(inflow, 1000)).toBeGreaterThan(600);
  });

  it("that do not stop end the session with a reason", async () => {
    const inflow = open();
    await readFor(inflow, 60_000);
    expect(ends).toEqual(["the server kept sending too many requests and notifications: correct it, then reconnect"]);
    expect(performance.now()).toBeGreaterThan(5000);
  });
});
