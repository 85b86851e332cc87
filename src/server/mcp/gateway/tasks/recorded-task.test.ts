import { expect, it } from "vitest";
import { tool } from "../gateway.test-support";
import { toRecordedResult, toRecordedStatus } from "./gateway-tasks";
import type { RecordedCall } from "./task-store";

const TASK = { id: "t", executionId: "exec_1", owner: "o", calledAs: "read", createdAt: 0, expiresAt: 1 };
const MCP = tool("files__read", { type: "mcp", server: "files", tool: "read" });
const recorded = (more: Partial<RecordedCall>): RecordedCall => ({
  toolName: "files__read",
  status: "succeeded",
  finishedAt: 1,
  error: null,
  resultText: null,
  definition: MCP,
  ...more,
});

it("a recorded call gives the answer that it gave: a server's result unchanged, its own tools' as text", () => {
  const sent = { content: [{ type: "text", text: "a" }], structuredContent: { a: 1 } };
  expect(toRecordedResult(recorded({ resultText: JSON.stringify(sent) }), TASK)).toEqual(sent);
  const own = recorded({
    toolName: "sum",
    resultText: '{"sum":3}',
    definition: tool("sum", { type: "builtin", handler: "sum" }),
  });
  expect(toRecordedResult(own, TASK)).toEqual({ content: [{ type: "text", text: '{"sum":3}' }] });
});

it("a failure is one, under the name that the caller used, and a server's own failure keeps its content", () => {
  const failed = recorded({ status: "timed_out", error: "Tool 'files__read' timed out after 1 s" });
  expect(toRecordedResult(failed, TASK)).toEqual({
    content: [{ type: "text", text: "Error: Tool 'read' timed out after 1 s" }],
    isError: true,
  });
  const sent = { content: [{ type: "text", text: "no such file" }], isError: true };
  const refused = recorded({ status: "failed", error: "no such file", resultText: JSON.stringify(sent) });
  expect(toRecordedResult(refused, TASK)).toEqual(sent);
});

it("a result that is not stored as it was sent is named by its execution", () => {
  expect(toRecordedResult(recorded({}), TASK)).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("exec_1") }],
  });
});

it.each([
  ["waiting", "working"],
  ["running", "working"],
  ["succeeded", "completed"],
  ["cancelled", "cancelled"],
  ["interrupted", "failed"],
] as const)("an execution that is %s is a task that is %s", (status, expected) => {
  expect(toRecordedStatus(status)).toBe(expected);
});
