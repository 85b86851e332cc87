import { afterAll, expect, it } from "vitest";
import { JmespathProjector } from "./lens-projector";

const projector = new JmespathProjector({ home: process.cwd(), limitMs: 1000 });
afterAll(() => projector.close());

/** More than a busy machine needs, where the limit of time is not what a test is about. */
const patient = new JmespathProjector({ home: process.cwd(), limitMs: 60_000 });
afterAll(() => patient.close());

/** Evaluates, and counts the turns of this thread's event loop until the result. */
async function projectBeside(expression: string, result: unknown, by = projector) {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  const resultText = JSON.stringify(result);
  const outcome = await by.project(expression, { result, resultText, fromServer: false });
  clearInterval(timer);
  return { outcome, turns };
}

const ROWS = Array.from({ length: 30 }, (_, number) => ({ number, title: `Row ${number}`, tags: ["a", "b"] }));

it.each([
  ["doubles its input forty times", Array(40).fill("[@,@][]").join(" | ")],
  ["makes a text of 100 MB", "pad_left([0].title, `100000000`)"],
  ["starts again from the root in every row", "[].{a: $[].{b: $[].{c: $[].{d: $[].{e: $[].{f: $[].{g: $}}}}}}}"],
])("an expression that %s fails while this thread continues", async (_, expression) => {
  const { outcome, turns } = await projectBeside(expression, ROWS);
  expect(outcome).toEqual({ fault: expect.any(String) });
  expect(turns).toBeGreaterThan(0);
  // The next one gets a new thread.
  expect((await projectBeside("[?$[0]].number | [0]", ROWS)).outcome).toMatchObject({ value: 0 });
});

it("a result of 20 MB is projected while this thread continues", async () => {
  const rows = Array.from({ length: 100_000 }, (_, id) => ({ id, text: "x".repeat(200) }));
  const { outcome, turns } = await projectBeside("[:3].id", rows, patient);
  expect(outcome).toMatchObject({ value: [0, 1, 2] });
  expect(turns).toBeGreaterThan(0);
});

it("an evaluation that needs more than its thread's memory fails with the limit and the way out", async () => {
  const rows = Array.from({ length: 200_000 }, (_, id) => ({ id }));
  const expression = Array(12).fill("[].[@,@][]").join(" | ");
  const outcome = await patient.project(expression, {
    result: rows,
    resultText: JSON.stringify(rows),
    fromServer: false,
  });
  expect(outcome).toEqual({ fault: expect.stringMatching(/more than 256 MB of memory .* return less of it$/) });
});
