import type { Page } from "@playwright/test";
import type { RunDetail } from "../src/lib/contract/run";
import { authorize } from "./support/accounts";
import { runTool } from "./support/api";
import { input } from "./support/arguments-editor";
import { expect, test } from "./support/fixtures";
import { button, expectStatus, locateCall, say, turn } from "./support/playground";
import { createPurge, getRun, listExecutions, startRun, whenAsked, whenRun } from "./support/runs";
import { SERVER_AWAY } from "./support/server";
import { open } from "./support/servers";

const SLOW = 'slow_report {"steps":60,"step_ms":900}';

/** The ends of a tool's calls in a run's log. */
function finished(run: RunDetail, tool: string) {
  return run.events.filter((event) => event.type === "tool_finished" && event.name === tool);
}

/** Starts a run in the Playground, which is under a slow tool when this returns. */
async function startSlowRun(page: Page, url: string): Promise<string> {
  await open(page, `${url}/playground`);
  await say(page, `echo {"message":"once"} and ${SLOW}`);
  await expectStatus(locateCall(turn(page, 1), "echo"), "succeeded");
  await expectStatus(locateCall(turn(page, 1), "slow_report"), "running");
  const id = new URL(page.url()).searchParams.get("run") ?? "";
  // The log has the quick call's end before the server dies.
  await expect.poll(async () => finished(await getRun(url, id), "echo").length).toBe(1);
  return id;
}

/** The run is interrupted, its open page finds out by itself, and resumed it runs no call twice. */
async function expectResumable(page: Page, url: string, id: string): Promise<void> {
  const before = await listExecutions(url, id);
  expect(before.map(({ toolName, status }) => [toolName, status])).toEqual([
    ["echo", "succeeded"],
    ["slow_report", "interrupted"],
  ]);
  expect(await getRun(url, id)).toMatchObject({ status: "interrupted", resumable: true });
  await expectStatus(turn(page, 1), "failed", 30_000);
  await expect(turn(page, 1)).toContainText("Interrupted: the server process ended");
  await button(turn(page, 1), "Resume").click();
  await expectStatus(turn(page, 1), "succeeded");
  await expect(turn(page, 1)).toContainText("resumed from its log");
  await expect(turn(page, 1)).toContainText("once");
  const after = await listExecutions(url, id);
  expect(after.map((execution) => execution.id)).toEqual(before.map((execution) => execution.id));
  const resumed = await getRun(url, id);
  expect(resumed.status).toBe("succeeded");
  expect(finished(resumed, "echo")).toHaveLength(1);
  expect(finished(resumed, "slow_report")).toHaveLength(1);
}

/** The call still waits in the inbox, and approved it lets its run end. */
async function expectDecidable(page: Page, url: string, id: string, executionId: string): Promise<void> {
  expect((await getRun(url, id)).status).toBe("waiting");
  await open(page, `${url}/approvals`);
  await expect(page.getByRole("region", { name: "Pending approvals" }).getByRole("button")).toHaveCount(1);
  const card = page.getByRole("article", { name: "Approval of purge_files" });
  await button(card, "Approve").click();
  await expectStatus(card, "approved");
  const run = await whenRun(url, id, "succeeded");
  expect(finished(run, "purge_files")).toHaveLength(1);
  const executions = await listExecutions(url, id);
  expect(executions.map((execution) => [execution.id, execution.status])).toEqual([[executionId, "succeeded"]]);
  await page.goto(`${url}/runs/${id}`);
  await expectStatus(turn(page, 1), "succeeded");
  await expectStatus(locateCall(turn(page, 1), "purge_files"), "succeeded");
  await expect(turn(page, 1)).toContainText('"keep":2');
}

/** An MCP client that initializes once and goes on under the session id that it got then. */
async function openSession(url: string): Promise<(message: string) => Promise<Response>> {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...authorize(url),
  };
  const ask = (body: object) =>
    fetch(`${url}/mcp`, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }) });
  const clientInfo = { name: "never-initializes-again", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const begun = await ask({ method: "initialize", params });
  headers["mcp-session-id"] = begun.headers.get("mcp-session-id") ?? "";
  return (message) => ask({ method: "tools/call", params: { name: "echo", arguments: { message } } });
}

/** Without its server the console stays: open pages are readable, a run is refused with its arguments kept, a link waits. */
async function expectOffline(list: Page, tool: Page, url: string): Promise<void> {
  const banner = (page: Page) => page.getByRole("alert").filter({ hasText: "Toolroom does not answer." });
  for (const page of [list, tool]) await expect(banner(page)).toContainText("This page shows what was read last.");
  await expect(list.getByRole("row").filter({ hasText: "purge_files" })).toBeVisible();
  await input(tool, "location").press("Control+Enter");
  await expect(tool.getByRole("alert").filter({ hasText: "The server did not answer" })).toBeVisible();
  await expect(input(tool, "location")).toHaveValue("Oslo");
  await tool.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Servers" }).click();
  await expect(banner(tool)).toContainText("The page you chose opens when it is back.");
  await expect(tool.getByText(/^Next try in \d+ s$/)).toBeVisible();
  await expect(tool).toHaveURL(`${url}/tools/get_weather`);
}

test("AGT-05 AGT-08 EXE-05 EXE-06 after a kill and a restart a run resumes without a call twice, an open approval can be decided, an MCP session goes on, and an open tab catches up", async ({
  page,
  context,
  startServer,
  allowProblems,
}) => {
  // It starts two servers, one after the other.
  test.setTimeout(120_000);
  allowProblems(SERVER_AWAY);
  const first = await startServer();
  const { url } = first;
  const list = await context.newPage();
  await open(list, `${url}/executions`);
  await createPurge(url, "purge_files");
  const asking = await startRun(url, 'purge_files {"folder":"old","keep":2}');
  await whenRun(url, asking, "waiting");
  const { executionId } = await whenAsked(url, "purge_files");
  const callEcho = await openSession(url);
  expect((await callEcho("before the crash")).status).toBe(200);
  const slow = await startSlowRun(page, url);
  const tool = await context.newPage();
  await open(tool, `${url}/tools/get_weather`);
  await input(tool, "location").fill("Oslo");

  await first.kill();
  await expectOffline(list, tool, url);
  await startServer({ databaseFile: first.databaseFile, port: first.port });
  // The page that was chosen while the server was down opens once it answers.
  await expect(tool).toHaveURL(`${url}/servers`, { timeout: 20_000 });
  await expect(tool.getByText("does not answer")).toHaveCount(0);

  const answer = await callEcho("after the crash");
  expect(answer.status).toBe(200);
  expect((await answer.json()).result.content[0].text).toContain("after the crash");
  await runTool(url, "echo", { message: "while away" });
  await expect(list.getByRole("row").filter({ hasText: "while away" })).toBeVisible({ timeout: 20_000 });
  await expectResumable(page, url, slow);
  await expectDecidable(list, url, asking, executionId);
});
