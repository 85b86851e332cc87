import { expect, it } from "vitest";
import type { ExecutionDetail } from "../../../lib/contract/execution";
import { toExecutionText } from "./rest-calls";

/** The same text, from a copy of the execution without its result. */
function writeCopy({ resultText, ...execution }: ExecutionDetail): string {
  const isCut = execution.resultTruncated && resultText !== null;
  const rest = JSON.stringify({ ...execution, resultStart: isCut ? resultText : null });
  return `${rest.slice(0, -1)},"result":${isCut ? "null" : (resultText ?? "null")}}`;
}

it.each([
  { resultText: null, resultTruncated: false },
  { resultText: '{"n":12345678901234567890.10,"text":"\\u00fc\\"\\n"}', resultTruncated: false },
  { resultText: '"cut in the mid', resultTruncated: true },
  { resultText: null, resultTruncated: true },
])("an execution is written as a copy of it would be, and is not changed: %j", (result) => {
  const execution = {
    id: "exec_1",
    calledAs: undefined,
    argumentsText: '{"a":"\u2028 \ud800"}',
    ...result,
    error: null,
    children: [],
  } as unknown as ExecutionDetail;
  const before = structuredClone(execution);
  expect(toExecutionText(execution)).toBe(writeCopy(execution));
  expect(execution).toEqual(before);
  expect(Object.keys(execution)).toEqual(Object.keys(before));
});
