// @vitest-environment happy-dom
import { fireEvent, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { executionDetail } from "@/app/_components/executions/summary/execution.test-support";
import { findViolations } from "@/app/_kit/axe.test-support";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { SamplingRecord } from "@/lib/contract/sampling";
import { ExecutionView } from "./execution-view";

const REQUEST = { messages: [{ role: "user", content: { type: "text", text: "Say <b>hi</b>" } }], maxTokens: 10 };
const ANSWERED: SamplingRecord = {
  id: 1,
  executionId: "exec_sampled00",
  receivedAt: 0,
  durationMs: 1200,
  outcome: "answered",
  provider: "acme",
  model: "tiny",
  requestText: JSON.stringify(REQUEST),
  responseText: "Hi there",
  stopReason: "endTurn",
  error: null,
  inputTokens: 12,
  outputTokens: 3,
};
const DECLINED: SamplingRecord = {
  ...ANSWERED,
  id: 2,
  outcome: "declined",
  provider: null,
  model: null,
  responseText: null,
  stopReason: null,
  inputTokens: null,
  outputTokens: null,
};
const FAILED: SamplingRecord = {
  ...DECLINED,
  id: 3,
  outcome: "failed",
  provider: "acme",
  model: "tiny",
  error: "No key",
};

function show(records: SamplingRecord[]) {
  const execution = executionDetail({ id: "exec_sampled00", serverName: "files" });
  const api = fakeApi({ "executions.get": () => execution, "sampling.list": () => [...records] });
  api.render(<ExecutionView id={execution.id} />);
  return api;
}

it("an execution shows what its server asked of a model, who answered, and what failed", async () => {
  const records = [ANSWERED];
  const api = show(records);
  const section = await screen.findByRole("region", { name: "Sampling requests" });
  expect(within(section).getByText("by acme / tiny")).toBeDefined();
  expect(within(section).getByText("12 tokens in · 3 out · 1.2 s")).toBeDefined();
  fireEvent.click(within(section).getByText("answered"));
  expect(within(section).getByText("Say <b>hi</b>")).toBeDefined();
  expect(within(section).getByText("Hi there")).toBeDefined();
  records.push(DECLINED, FAILED);
  api.emit({
    type: "execution_log",
    executionId: "exec_sampled00",
    line: { atMs: 1, level: "warn", message: "x" },
    before: 0,
  });
  expect(await within(section).findByText("by the server's settings")).toBeDefined();
  expect(within(section).getByText("No key")).toBeDefined();
  expect(await findViolations(section)).toEqual([]);
});
