import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { endMarked, MARKER_VARIABLE } from "./orphaned-processes";

/** The content of the system's folder of processes in a test. */
const proc = { pids: [] as string[], read: (_path: string): string => "" };

const environment = (marker: string): string => `PATH=/bin\0${MARKER_VARIABLE}=${marker}\0`;

describe.runIf(process.platform === "linux")("looking for marked processes", () => {
  beforeEach(() => {
    vi.spyOn(fs, "readdirSync").mockImplementation((() => proc.pids) as never);
    vi.spyOn(fs, "readFileSync").mockImplementation(((file: string) => proc.read(file)) as never);
    // Modules that import by name see it too.
    syncBuiltinESMExports();
  });
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  it("lets other work run where there are many thousands of processes", async () => {
    proc.pids = Array.from({ length: 20_000 }, (_, at) => String(at + 10_000_000));
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    let spent = 0;
    proc.read = () => {
      // As long as the system takes for it.
      for (const from = performance.now(); performance.now() - from < 0.01; ) spent += 1;
      return environment("another");
    };
    expect(await endMarked("mine", 100)).toBe(0);
    clearInterval(timer);
    expect(spent).toBeGreaterThan(0);
    expect(turns).toBeGreaterThan(3);
  });

  it("sends no signal to a process that has taken over the number of a marked one", async () => {
    const kill = vi.spyOn(process, "kill").mockReturnValue(true);
    proc.pids = ["10000001"];
    let reads = 0;
    proc.read = () => environment(reads++ === 0 ? "mine" : "another");
    await endMarked("mine", 100);
    expect(kill).not.toHaveBeenCalled();
  });
});
