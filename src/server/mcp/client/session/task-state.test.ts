import { expect, it } from "vitest";
import { isPlainObject } from "../../../../lib/contract/json";
import { toJsonText } from "../../../../lib/json/known-text";
import { RELATED_TASK } from "../../../../lib/mcp-tasks";
import { parseMessage } from "../../fast-path/parse-message";
import { readTask, withoutRelatedTask } from "./task-state";

const RESULT = '"content":[],"structuredContent":{"id":12345678901234567890}';

function receive(result: string): unknown {
  const message = parseMessage(`{"jsonrpc":"2.0","id":1,"result":${result}}`);
  return isPlainObject(message) ? message.result : null;
}

it("the result of a task keeps the digits of large integers, without the task's id", () => {
  const sent = receive(`{${RESULT},"_meta":{"${RELATED_TASK}":{"taskId":"t"}}}`);
  expect(toJsonText(withoutRelatedTask(sent))).toBe(`{${RESULT}}`);
  const other = receive(`{${RESULT},"_meta":{"${RELATED_TASK}":{"taskId":"t"},"own":1}}`);
  expect(toJsonText(withoutRelatedTask(other))).toBe(`{${RESULT},"_meta":{"own":1}}`);
});

it("a result within a task's state keeps the digits of large integers", () => {
  const { result } = readTask(receive(`{"taskId":"t","status":"completed","result":{${RESULT}}}`));
  expect(toJsonText(result)).toBe(`{${RESULT}}`);
});
