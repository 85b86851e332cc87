import type { CallClass } from "../../../../lib/contract/call-class";
import type { ExecutionKind } from "../../../../lib/contract/execution-kind";
import type { CountedBy, StatisticsReads } from "../statistics-store";
import { type CallFacts, getCallKind, getClass } from "./call-facts";
import { DIMENSIONS } from "./dimensions";
import type { ReadTimes } from "./read-time";
import type { StatisticsData, StatisticsRequest } from "./statistics-data";

/** Sorts by calls, most first, and equal groups by name. */
export function compareGroups(left: { value: string; calls: number }, right: { value: string; calls: number }): number {
  return right.calls - left.calls || (left.value < right.value ? -1 : 1);
}

/** A part of the calls that a request counts. */
interface CountedPart {
  value: string;
  errorKind: string;
  class: CallClass;
  calls: number;
}

function* listParts(
  { rows, changes, raw }: StatisticsData,
  { dimension, value, kinds }: StatisticsRequest,
): Generator<CountedPart, void> {
  yield* rows;
  const { group } = DIMENSIONS[dimension];
  const toPart = (facts: CallFacts, calls: number): CountedPart | null => {
    const found = group(facts);
    if (found === null || (value !== undefined && found.value !== value) || !kinds.includes(getCallKind(facts)))
      return null;
    return { value: found.value, errorKind: facts.errorKind ?? "", class: getClass(facts), calls };
  };
  for (const { facts, sign } of changes) {
    const part = toPart(facts, sign);
    if (part !== null) yield part;
  }
  for (const facts of raw) {
    const part = toPart(facts, facts.calls);
    if (part !== null) yield part;
  }
}

const add = <Key>(counts: Map<Key, number>, key: Key, calls: number): void => {
  counts.set(key, (counts.get(key) ?? 0) + calls);
};

/** Counts without durations, which take most of the time of other figures. */
export function createRangeCounts(readTimes: ReadTimes): StatisticsReads["counts"] {
  return async (range, by) => {
    const kinds = range.kinds ?? ["tool"];
    const dimensions = by.filter((each) => each !== "errorKind");
    const ofKinds = kinds.map((kind) => Object.assign({}, range, { kinds: [kind] }));
    const found = await readTimes([
      ...ofKinds.map((each) => [each, { countsOnly: true }] as const),
      ...dimensions.map((dimension) => [range, { dimension, countsOnly: true }] as const),
    ]);
    const classes = new Map<CallClass, number>();
    const ofKind = new Map<ExecutionKind, number>();
    const errors = new Map<string, number>();
    let calls = 0;
    for (const { request, data } of found.slice(0, kinds.length)) {
      for (const part of listParts(data, request)) {
        calls += part.calls;
        add(classes, part.class, part.calls);
        for (const kind of request.kinds) add(ofKind, kind, part.calls);
        if (part.errorKind !== "") add(errors, part.errorKind, part.calls);
      }
    }
    const groups = new Map<CountedBy, CountedGroup[]>();
    if (by.includes("errorKind")) groups.set("errorKind", toGroups(errors));
    for (const [index, dimension] of dimensions.entries()) {
      const { request, data } = found[kinds.length + index] as (typeof found)[number];
      const counts = new Map<string, number>();
      for (const part of listParts(data, request)) if (part.value !== "") add(counts, part.value, part.calls);
      groups.set(dimension, toGroups(counts));
    }
    return { calls, groups, classes, kinds: ofKind, rebuilding: found.some(({ data }) => data.rebuilding) };
  };
}

interface CountedGroup {
  value: string;
  calls: number;
}

const toGroups = (counts: ReadonlyMap<string, number>): CountedGroup[] =>
  [...counts]
    .map(([value, calls]) => ({ value, calls }))
    .filter(({ calls }) => calls > 0)
    .sort(compareGroups);
