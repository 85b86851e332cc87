import type { ApprovalItem, ApprovalPage } from "../../src/lib/contract/approval";
import type { ExecutionDetail, ExecutionPage, ExecutionSummary } from "../../src/lib/contract/execution";
import type { RunDetail, RunSettings, RunStatus } from "../../src/lib/contract/run";
import { callApi, mockTool } from "./api";
import { expect } from "./fixtures";

/** The model without key and network. */
export const DEMO = { provider: "demo", model: "demo" };

export function getRun(url: string, id: string): Promise<RunDetail> {
  return callApi(url, "runs.get", { id }, "GET");
}

export async function startRun(url: string, text: string, settings: Partial<RunSettings> = {}): Promise<string> {
  const { id } = await callApi<{ id: string }>(url, "runs.start", { settings: { ...DEMO, ...settings }, text });
  return id;
}

/** The run, once it has come to this state. */
export async function whenRun(url: string, id: string, status: RunStatus): Promise<RunDetail> {
  const state = async () => (await getRun(url, id)).status;
  await expect.poll(state, { timeout: 15_000, message: `state of run ${id}` }).toBe(status);
  return await getRun(url, id);
}

/** Oldest first. */
export async function listExecutions(url: string, runId: string): Promise<ExecutionSummary[]> {
  const { items } = await callApi<ExecutionPage>(url, "executions.list", { filter: { runId }, limit: 200 }, "GET");
  return items.reverse();
}

export function getExecution(url: string, id: string): Promise<ExecutionDetail> {
  return callApi(url, "executions.get", { id }, "GET");
}

/** A tool that asks, since it may destroy something by its own hint. It gives its arguments back, so that one sees what ran. */
export async function createPurge(url: string, name: string): Promise<void> {
  const definition = JSON.parse(
    mockTool(name, {
      type: "object",
      properties: { folder: { type: "string" }, keep: { type: "integer", minimum: 0 } },
      required: ["folder"],
    }),
  );
  const definitionText = JSON.stringify({
    ...definition,
    annotations: { destructiveHint: true },
    implementation: { type: "builtin", handler: "echo" },
  });
  await callApi(url, "tools.create", { definition: definitionText });
}

/** The open request of this tool, once it is there. */
export async function whenAsked(url: string, tool: string): Promise<ApprovalItem> {
  let asked: ApprovalItem | undefined;
  const find = async () => {
    const { items } = await callApi<ApprovalPage>(url, "approvals.list", { status: "open", limit: 100 }, "GET");
    asked = items.find(({ toolName }) => toolName === tool);
    return asked !== undefined;
  };
  await expect.poll(find, { timeout: 15_000, message: `an open approval of ${tool}` }).toBe(true);
  return asked as ApprovalItem;
}
