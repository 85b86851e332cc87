import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ListedProcess } from "./process-listing";
import { findRecorded, isOwned, type ProcessRecord } from "./process-record";

const START = Date.parse("2026-11-29T08:00:00Z");
const TOOLROOM = 900;
const LEADER = 1000;
const MINUTE = 60_000;

const record = (seen: ProcessRecord["seen"] = []): ProcessRecord => ({
  marker: "/900//4c1e",
  owner: {
    pid: TOOLROOM,
    startedAt: START - MINUTE,
  },
  leader: {
    pid: LEADER,
    startedAt: START,
  },
  seen,
});

const listed = (pid: number, more: Partial<ListedProcess> = {}): ListedProcess => ({
  pid,
  parent: 1,
  group: pid,
  startedAt: START,
  text: "",
  ...more,
});

const onWindows = (pid: number, more: Partial<ListedProcess> = {}): ListedProcess =>
  listed(pid, { group: null, ...more });

const seen = (pid: number, startedAt = START): ProcessRecord["seen"] => [{ pid, startedAt }];

describe("the processes of a record", () => {
  it.each<[string, ProcessRecord, ListedProcess[], number[]]>([
    ["the leader, by id and start", record(), [listed(LEADER)], [LEADER]],
    ["not another process with its id", record(), [listed(LEADER, { startedAt: START + MINUTE })], []],
    ["not one that started in the same second in another group", record(), [listed(LEADER, { group: 5 })], []],
    ["on Windows the leader, by its parent too", record(), [onWindows(LEADER, { parent: TOOLROOM })], [LEADER]],
    ["on Windows not a child of another process", record(), [onWindows(LEADER, { parent: 4 })], []],
    [
      "what the leader started",
      record(),
      [listed(1002, { parent: 1001 }), listed(LEADER), listed(1001, { parent: LEADER })],
      [LEADER, 1001, 1002],
    ],
    [
      "not what an earlier process with the parent's id started",
      record(),
      [listed(LEADER), listed(1001, { parent: LEADER, startedAt: START - MINUTE })],
      [LEADER],
    ],
    [
      "the group of a process that was seen, without its leader",
      record(seen(1001)),
      [listed(1001, { group: LEADER }), listed(1005, { group: LEADER })],
      [1001, 1005],
    ],
    ["not a group that nothing known is in", record(seen(1001)), [listed(1005, { group: LEADER })], []],
    [
      "on Windows what was seen, without its parents",
      record(seen(1001)),
      [onWindows(1001, { parent: LEADER })],
      [1001],
    ],
    ["on Windows not a child of an id without a process", record(), [onWindows(1001, { parent: LEADER })], []],
    [
      "one with the marker in its environment",
      record(),
      [listed(1007, { text: "node x A=1 TOOLROOM_SERVER_ID=/900//4c1e" })],
      [1007],
    ],
    [
      "never the system's first process or this one",
      record([...seen(1), ...seen(process.pid)]),
      [listed(1), listed(process.pid)],
      [],
    ],
  ])("are %s", (_what, noted, processes, expected) => {
    expect(
      findRecorded(noted, processes)
        .map(({ pid }) => pid)
        .sort(),
    ).toEqual(expected.sort());
  });

  it("are none of a system that has used all their ids again later", () => {
    const someProcess = fc.record({
      pid: fc.integer({ min: 2, max: 1100 }),
      parent: fc.integer({ min: 0, max: 1100 }),
      group: fc.option(fc.integer({ min: 1, max: 1100 })),
      startedAt: fc.integer({ min: START + 3_000, max: START + 1e9 }),
      text: fc.string(),
    });
    const someSeen = fc.array(
      fc.record({
        pid: fc.integer({ min: 2, max: 1100 }),
        startedAt: fc.integer({ min: START - 1000, max: START + 1000 }),
      }),
    );
    fc.assert(
      fc.property(someSeen, fc.uniqueArray(someProcess, { selector: ({ pid }) => pid }), (noted, processes) => {
        expect(findRecorded(record(noted), processes)).toEqual([]);
      }),
    );
  });

  it("belong to a Toolroom that runs, not to another process with its id", () => {
    expect(isOwned(record(), [listed(TOOLROOM, { startedAt: START - MINUTE + 800 })])).toBe(true);
    expect(isOwned(record(), [listed(TOOLROOM, { startedAt: START + MINUTE })])).toBe(false);
    expect(isOwned(record(), [listed(LEADER)])).toBe(false);
  });
});
