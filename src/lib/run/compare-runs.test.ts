import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildTurns } from "./build-turns";
import { type ComparedPart, compareRuns, type RunPart } from "./compare-runs";
import { answered, asked, called, DONE, returned, runLog, said } from "./run-log.test-support";

interface Call {
  tool: string;
  args: unknown;
  result: string;
}

/** A run that makes one call in each step. */
const build = (calls: readonly Call[], text = "Done.", message = "go") =>
  buildTurns(
    runLog(
      said(message),
      ...calls.flatMap(({ tool, args, result }, at) => {
        const argumentsText = JSON.stringify(args);
        const step = at + 1;
        return [
          asked(step),
          answered(step, "", [[tool, argumentsText]]),
          called(step, 0, tool, argumentsText),
          returned(step, 0, tool, result),
        ];
      }),
      asked(calls.length + 1),
      answered(calls.length + 1, text),
      DONE,
    ),
  );

const call = (tool: string, args: unknown = {}, result = "ok"): Call => ({ tool, args, result });
const describePart = (part: RunPart | null) =>
  part === null ? "–" : part.kind === "call" ? `${part.call.name} ${part.call.argumentsText}` : part.kind;
const describeRow = ({ kind, left, right, changed }: ComparedPart) =>
  `${kind}${changed === undefined ? "" : ` ${changed}`}: ${describePart(left)} | ${describePart(right)}`;
const countDiffering = (rows: readonly ComparedPart[]) => rows.filter(({ kind }) => kind !== "same").length;

describe("AGT-08 two runs that are compared", () => {
  it("are aligned by calls: what only one of them has moves nothing else, and the first call that differs is named", () => {
    const left = build([call("search", { q: "a", n: 1 }), call("read", { id: 1 }), call("write", { id: 1 })]);
    const right = build([
      call("search", { n: 1, q: "a" }),
      call("list"),
      call("read", { id: 1 }, "other"),
      call("write", { id: 2 }),
    ]);
    const { rows, first, firstCall } = compareRuns(left, right);
    expect(rows.map(describeRow)).toEqual([
      "same: message | message",
      'same: search {"q":"a","n":1} | search {"n":1,"q":"a"}',
      "added: – | list {}",
      'changed result: read {"id":1} | read {"id":1}',
      'changed arguments: write {"id":1} | write {"id":2}',
      "same: text | text",
    ]);
    expect([first, firstCall]).toEqual([2, 2]);
    expect(compareRuns(left, left)).toMatchObject({ first: null, firstCall: null });
  });

  it("name a message or a response that differs before any call does", () => {
    const { rows, first, firstCall } = compareRuns(build([call("a")], "Hot."), build([call("b")], "Cold.", "stop"));
    expect(rows.map(describeRow)).toEqual([
      "changed: message | message",
      "removed: a {} | –",
      "added: – | b {}",
      "changed: text | text",
    ]);
    expect([first, firstCall]).toEqual([0, 1]);
  });

  it("keep the alignment of equal calls where every result differs", () => {
    const tools = ["a", "b", "c", "d"];
    const left = build(tools.map((tool) => call(tool, {}, `${tool} then`)));
    const right = build(["x", ...tools.slice(0, 3)].map((tool) => call(tool, {}, `${tool} now`)));
    expect(compareRuns(left, right).rows.slice(1, -1).map(describeRow)).toEqual([
      "added: – | x {}",
      "changed result: a {} | a {}",
      "changed result: b {} | b {}",
      "changed result: c {} | c {}",
      "removed: d {} | –",
    ]);
  });

  it("have at most k rows that differ after k calls were added, removed or changed", () => {
    const some = fc.record({
      tool: fc.constantFrom("a", "b", "c"),
      args: fc.integer({ min: 0, max: 3 }),
      result: fc.constantFrom("1", "2"),
    });
    const edit = fc.constantFrom("keep", "keep", "keep", "add", "remove", "arguments", "result");
    fc.assert(
      fc.property(fc.array(fc.tuple(some, edit), { maxLength: 40 }), (script) => {
        const edited = script.flatMap(([one, how], at): Call[] => {
          if (how === "add") return [one, { ...one, args: `new ${at}` }];
          if (how === "remove") return [];
          if (how === "arguments") return [{ ...one, args: `new ${at}` }];
          return [how === "result" ? { ...one, result: `new ${at}` } : one];
        });
        const left = build(script.map(([one]) => one));
        const right = build(edited);
        const { rows } = compareRuns(left, right);
        expect(countDiffering(rows)).toBeLessThanOrEqual(script.filter(([, how]) => how !== "keep").length);
        // Each part is in one row, in its order.
        const list = (side: "left" | "right") => rows.flatMap((row) => row[side] ?? []).map(describePart);
        const all = (turns: typeof left) => compareRuns(turns, turns).rows.map((row) => describePart(row.left));
        expect(list("left")).toEqual(all(left));
        expect(list("right")).toEqual(all(right));
      }),
    );
  });

  it("are aligned with thousands of calls, whether little or all of it differs", () => {
    const many = Array.from({ length: 5_000 }, (_, at) => call(`tool${at % 7}`, { at }));
    const edited = many.flatMap((one, at) => (at % 500 === 9 ? [] : at % 500 === 5 ? [call("new"), one] : [one]));
    expect(countDiffering(compareRuns(build(many), build(edited)).rows)).toBe(20);
    const others = many.map(({ tool }, at) => call(tool, { other: at }));
    expect(countDiffering(compareRuns(build(many), build(others)).rows)).toBe(5_000);
  });
});
