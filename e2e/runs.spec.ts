import type { RunDetail } from "../src/lib/contract/run";
import { callApi } from "./support/api";
import { expect, test } from "./support/fixtures";
import { button, callOf, expectStatus, say, turn } from "./support/playground";
import { createPurge, executionsOf, getRun, startRun, whenAsked, whenRun } from "./support/runs";
import { SERVER_AWAY } from "./support/server";
import { open } from "./support/servers";

// Each starts a server of its own, some two.
test.describe.configure({ timeout: 60_000 });

const SLOW = 'slow_report {"steps":60,"step_ms":900}';

/** The state of a call in a run's log. */
function finished(run: RunDetail, tool: string) {
  return run.events.filter((event) => event.type === "tool_finished" && event.name === tool);
}

test("AGT-08 EXE-06 a run whose server is killed under a slow tool is interrupted, and resumed it runs no call twice", async ({
  page,
  startServer,
  allowProblems,
}) => {
  // It starts two servers, one after the other.
  test.setTimeout(90_000);
  allowProblems(SERVER_AWAY);
  const first = await startServer();
  await open(page, `${first.url}/playground`);
  await say(page, `echo {"message":"once"} and ${SLOW}`);
  await expectStatus(callOf(turn(page, 1), "echo"), "succeeded");
  await expectStatus(callOf(turn(page, 1), "slow_report"), "running");
  const id = new URL(page.url()).searchParams.get("run") ?? "";
  // The log has the quick call's end before the server dies.
  await expect.poll(async () => finished(await getRun(first.url, id), "echo").length).toBe(1);
  await first.kill();

  const second = await startServer({ databaseFile: first.databaseFile, port: first.port });
  const interrupted = await getRun(second.url, id);
  expect(interrupted).toMatchObject({ status: "interrupted", resumable: true });
  const before = await executionsOf(second.url, id);
  expect(before.map(({ toolName, status }) => [toolName, status])).toEqual([
    ["echo", "succeeded"],
    ["slow_report", "interrupted"],
  ]);

  // The open page finds out by itself.
  await expectStatus(turn(page, 1), "failed", 30_000);
  await expect(turn(page, 1)).toContainText("Interrupted: the server process ended");
  await button(turn(page, 1), "Resume").click();
  await expectStatus(turn(page, 1), "succeeded");
  await expect(turn(page, 1)).toContainText("resumed from its log");
  await expect(turn(page, 1)).toContainText("once");
  const after = await executionsOf(second.url, id);
  expect(after.map((execution) => execution.id)).toEqual(before.map((execution) => execution.id));
  const resumed = await getRun(second.url, id);
  expect(resumed.status).toBe("succeeded");
  expect(finished(resumed, "echo")).toHaveLength(1);
  expect(finished(resumed, "slow_report")).toHaveLength(1);
});

test("AGT-05 an approval that is open when the server is killed is still in the inbox, and approved it lets the run end", async ({
  page,
  startServer,
}) => {
  test.setTimeout(90_000);
  const first = await startServer();
  await createPurge(first.url, "purge_files");
  const id = await startRun(first.url, 'purge_files {"folder":"old","keep":2}');
  await whenRun(first.url, id, "waiting");
  const { executionId } = await whenAsked(first.url, "purge_files");
  await first.kill();

  const second = await startServer({ databaseFile: first.databaseFile });
  expect((await getRun(second.url, id)).status).toBe("waiting");
  await open(page, `${second.url}/approvals`);
  await expect(page.getByRole("region", { name: "Waiting calls" }).getByRole("button")).toHaveCount(1);
  const card = page.getByRole("article", { name: "Approval of purge_files" });
  await button(card, "Approve").click();
  await expectStatus(card, "approved");

  const run = await whenRun(second.url, id, "succeeded");
  expect(finished(run, "purge_files")).toHaveLength(1);
  const executions = await executionsOf(second.url, id);
  expect(executions.map((execution) => [execution.id, execution.status])).toEqual([[executionId, "succeeded"]]);
  await page.goto(`${second.url}/runs/${id}`);
  await expectStatus(turn(page, 1), "succeeded");
  await expectStatus(callOf(turn(page, 1), "purge_files"), "succeeded");
  await expect(turn(page, 1)).toContainText('"keep":2');
});

test("AGT-08 a run is repeated from a step with the recorded results: nothing is executed, and both know each other", async ({
  page,
  startServer,
}) => {
  const { url } = await startServer();
  const parent = await startRun(url, 'echo {"message":"first"} and what is 12*7');
  await whenRun(url, parent, "succeeded");
  await open(page, `${url}/runs/${parent}`);
  await page.getByRole("button", { name: "Step 1", exact: true }).click();
  await page.getByRole("menuitem", { name: "Rerun from here…" }).click();
  const dialog = page.getByRole("dialog", { name: "Rerun from step 1" });
  await expect(dialog.getByRole("radio", { name: /^Use the recorded results/ })).toBeChecked();
  await button(dialog, "Start").click();
  await expect(page).not.toHaveURL(new RegExp(parent));
  await expect(page).toHaveURL(/\/runs\/run_/);
  const child = page.url().split("/").at(-1) ?? "";
  await expect(dialog).toHaveCount(0);
  await expectStatus(turn(page, 1), "succeeded");
  for (const tool of ["echo", "calculator"]) {
    await expect(callOf(turn(page, 1), tool).getByText("recorded", { exact: true })).toBeVisible();
  }
  await expect(turn(page, 1)).toContainText("84");
  expect(await executionsOf(url, child)).toEqual([]);

  const header = page.getByRole("main");
  await expect(header).toContainText(`Rerun of ${parent} from step 1`);
  await header.getByRole("link", { name: parent }).click();
  await expect(page).toHaveURL(`${url}/runs/${parent}`);
  await expect(header).toContainText(`Reruns: ${child} (step 1)`);
  expect(await executionsOf(url, parent)).toHaveLength(2);

  // With live results the tools run anew, in a third run.
  await page.getByRole("tab", { name: "Raw messages" }).click();
  await page.getByRole("combobox", { name: "Step" }).selectOption("1");
  await button(page, "Rerun from here…").click();
  await dialog.getByRole("radio", { name: /^Call the tools again/ }).check();
  await button(dialog, "Start").click();
  await expect(page).not.toHaveURL(new RegExp(parent));
  await expectStatus(turn(page, 1), "succeeded");
  await expect(page.getByText("recorded", { exact: true })).toHaveCount(0);
  expect(await executionsOf(url, page.url().split("/").at(-1) ?? "")).toHaveLength(2);
});

test("AGT-08 the list of runs shows a run as it begins and ends, and filters by state and text", async ({
  page,
  startServer,
}) => {
  const { url } = await startServer();
  await open(page, `${url}/runs`);
  await expect(page.getByRole("link", { name: "Open the Playground" })).toBeVisible();
  const slow = await startRun(url, SLOW);
  const row = page.getByRole("row").filter({ hasText: "slow_report" });
  await expect(row.locator('[data-status="running"]')).toBeVisible();
  await callApi(url, "runs.stop", { id: slow });
  await expect(row.locator('[data-status="cancelled"]')).toBeVisible();
  await whenRun(url, await startRun(url, "what is 5*5"), "succeeded");
  await expect(page.getByRole("row").filter({ hasText: "what is 5*5" })).toBeVisible();
  await page.getByRole("searchbox").fill("slow_report");
  await expect(page.getByRole("row").filter({ hasText: "what is 5*5" })).toHaveCount(0);
  await expect(row).toBeVisible();
});

test("TIME-03 AGT-08 a run that is stopped under a tool cancels it, and the timeline shows it so", async ({
  page,
  startServer,
}) => {
  const { url } = await startServer();
  const id = await startRun(url, SLOW);
  await open(page, `${url}/runs/${id}?view=timeline`);
  const bar = page
    .getByRole("list", { name: /^Timeline/ })
    .getByRole("listitem")
    .filter({ hasText: "Tool slow_report" });
  await expectStatus(bar, "running");
  await button(page, "Stop").click();
  await expectStatus(bar, "cancelled");
  expect((await executionsOf(url, id)).map(({ status }) => status)).toEqual(["cancelled"]);
  await bar.getByRole("link").click();
  await expect(page).toHaveURL(/\/executions\/exec_/);
});
