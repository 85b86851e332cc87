import { expect, it } from "vitest";
import { readData } from "../../platform/workers/lens-evaluator";
import { createReadResult, toReadable } from "./read-result";

const RESULT = '{"content":[],"structuredContent":{"id":9007199254740993,"rows":[{"price":1.50},7]}}';

it.each([
  ["", '{"id":9007199254740993,"rows":[{"price":1.50},7]}'],
  ["/id", "9007199254740993"],
  ["/rows", '[{"price":1.50},7]'],
  ["/rows/0", '{"price":1.50}'],
  ["/rows/0/price", "1.50"],
  ["/rows/1", "7"],
])("EXE-06 a model reads the numbers of a stored result digit for digit: %s", async (pointer, text) => {
  const toData = ({ result, fromServer }: { result: unknown; fromServer: boolean }) => readData(result, fromServer);
  const stored = { resultText: RESULT, resultTruncated: false, implementationType: "mcp" };
  const { run } = createReadResult(async () => toReadable(stored, toData));
  expect(await run({ execution_id: "exec_1", pointer }, {} as never)).toBe(text);
});
