import type { Page } from "@playwright/test";
import type { ExecutionCount } from "../src/lib/contract/execution";
import { callApi } from "./support/api";
import { runButton } from "./support/arguments-editor";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";
import { addServer, EVERYTHING, expectConnection, getServer, open, scripted, tab } from "./support/servers";
import { shareToolroom } from "./support/toolroom";

const toolroom = shareToolroom({
  async prepare(url) {
    await Promise.all([addServer(url, EVERYTHING), addServer(url, scripted("polluting"))]);
  },
});

const result = (page: Page) => page.getByRole("region", { name: "Result", exact: true });
const ASKING = "everything__trigger-elicitation-request";

test("TIME-03 a call shows its server's progress as it comes, and cancelling it tells the server", async ({ page }) => {
  await open(page, `${toolroom.url}/tools/everything__trigger-long-running-operation`);
  await page.getByLabel("duration", { exact: true }).fill("60");
  // Text typed before the page's scripts run can be lost.
  await expect(page.getByText("live", { exact: true })).toBeVisible();
  await page.getByLabel("steps", { exact: true }).fill("200");
  await runButton(page).click();
  await expect(result(page).locator('[data-status="running"]')).toBeVisible();
  const bar = result(page).getByRole("progressbar", { name: "Progress" });
  await expect(bar).toHaveAttribute("max", "200");
  const progress = async () => Number(await bar.getAttribute("value"));
  const before = await progress();
  await expect.poll(progress).toBeGreaterThan(before);
  await page.getByRole("region", { name: "Arguments" }).getByRole("button", { name: "Cancel" }).click();
  await expect(result(page).locator('[data-status="cancelled"]')).toBeVisible();

  await page.goto(`${toolroom.url}/servers/everything?tab=messages&kind=notification&direction=sent`);
  const told = page
    .getByRole("list", { name: "Messages of everything" })
    .getByRole("button", { name: /notifications\/cancelled/ });
  await expect(told.first()).toBeVisible();
  await told.first().click();
  await expect(page.getByText("requestId").first()).toBeVisible();
});

test("MCP-02 MCP-03 text that a server prints among its messages is marked in its log, and the connection stays open", async ({
  page,
}) => {
  const { url } = toolroom;
  const { pid } = (await getServer(url, "polluting")).state;
  await open(page, `${url}/tools/polluting__torn`);
  await runButton(page).click();
  await expect(result(page).locator('[data-status="failed"]')).toBeVisible();
  await expect(result(page)).toContainText("Server 'polluting' is unavailable");
  await expect(result(page)).toContainText("[WARN cache miss");

  await open(page, `${url}/tools/polluting__glued`);
  await runButton(page).click();
  await expect(result(page).locator('[data-status="succeeded"]')).toBeVisible();

  await page.goto(`${url}/servers/polluting?tab=log`);
  await expectConnection(page, "connected");
  const marked = page.getByRole("log").locator('li[data-stream="stdout"]');
  await expect(marked.filter({ hasText: "[WARN cache miss" })).toContainText("not protocol");
  await expect(marked.filter({ hasText: "debug: no newline" })).toContainText("not protocol");
  // The process is the one from before.
  expect((await getServer(url, "polluting")).state.pid).toBe(pid);
});

test("a server's question is answered in the panel of its call, which ends with what was typed", async ({ page }) => {
  await open(page, `${toolroom.url}/tools/${ASKING}`);
  await runButton(page).click();
  const question = result(page).getByRole("article", { name: "Request from everything" });
  await expect(question).toContainText("Please provide inputs for the following fields:");
  const countWaiting = () =>
    callApi<ExecutionCount>(toolroom.url, "executions.count", { filter: { status: ["input"] } }, "GET");
  expect(await countWaiting()).toEqual({ count: 1, more: false });
  // A missing required field is reported, and nothing is sent.
  await question.getByRole("button", { name: "Submit" }).click();
  await expect(question.getByText("1 problem to fix")).toBeVisible();
  await question.getByLabel("String", { exact: true }).fill("Ada Lovelace");
  await question.getByLabel("Integer", { exact: true }).fill("7");
  await question.getByRole("button", { name: "Submit" }).click();
  await expect(result(page).locator('[data-status="succeeded"]')).toBeVisible();
  await expect(result(page)).toContainText("- Name: Ada Lovelace");
  await expect(result(page)).toContainText("- Favorite Integer: 7");
  expect(await countWaiting()).toEqual({ count: 0, more: false });
});

test("a tool that only runs as a task runs like any other: status, question, result, and its id in the details", async ({
  page,
}) => {
  await open(page, `${toolroom.url}/tools/everything__simulate-research-query?tab=definition`);
  await expect(page.getByText("Runs as a task")).toBeVisible();
  await page.getByRole("tab", { name: "Run", exact: true }).click();
  await page.getByLabel("topic", { exact: true }).fill("python");
  await page.getByLabel("ambiguous", { exact: true }).selectOption({ label: "true" });
  await runButton(page).click();
  const question = result(page).getByRole("article", { name: "Request from everything" });
  await expect(result(page)).toContainText(/Gathering sources|Analyzing content|Requesting clarification/);
  await question.getByLabel("Clarification").selectOption({ label: "Python snake species" });
  await question.getByRole("button", { name: "Submit" }).click();
  await expect(result(page).locator('[data-status="succeeded"]')).toBeVisible({ timeout: 15_000 });
  await expect(result(page)).toContainText("Research Report: python (snake)");
  await result(page).getByRole("link", { name: "Open", exact: true }).first().click();
  const details = page.getByRole("region", { name: "Details" });
  await expect(details).toContainText(/Task\s*[0-9a-f]{32}/);
});

test("a question is counted in the top bar of every page and can be declined from there", async ({ page, context }) => {
  const other = await context.newPage();
  await open(other, `${toolroom.url}/executions`);
  await open(page, `${toolroom.url}/tools/${ASKING}`);
  await runButton(page).click();
  const badge = other.getByRole("banner").getByRole("button", { name: "1 server request" });
  await badge.click();
  const dialog = other.getByRole("dialog", { name: "Server requests" });
  await expect(dialog.getByRole("article")).toContainText(ASKING);
  await dialog.getByRole("button", { name: "Decline" }).click();
  await expect(dialog).toContainText("Declined the request from everything.");
  await expect(badge).toHaveCount(0);
  await expect(result(page).locator('[data-status="succeeded"]')).toBeVisible();
  await expect(result(page)).toContainText("User declined to provide the requested information");
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect(other.getByRole("row").filter({ hasText: ASKING }).first()).toContainText("succeeded");
});

test("axe finds nothing on a question, in its call and in the list of all", async ({ page }) => {
  await open(page, `${toolroom.url}/tools/${ASKING}`);
  await runButton(page).click();
  const question = result(page).getByRole("article", { name: "Request from everything" });
  await question.getByRole("button", { name: "Submit" }).click();
  await expect(question.getByText("1 problem to fix")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("banner").getByRole("button", { name: "1 server request" }).click();
  const dialog = page.getByRole("dialog", { name: "Server requests" });
  await expect(dialog.getByRole("article")).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 375, height: 740 });
  const overflow = await dialog.evaluate((element) => element.scrollWidth - element.clientWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  await dialog.getByRole("button", { name: "Decline" }).click();
  await closeInbox(page);
});

/** The next journey must not find this one's question. */
async function closeInbox(page: Page): Promise<void> {
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await expect(tab(page, "Run")).toBeVisible();
  await expect(page.getByRole("button", { name: /server requests?/ })).toHaveCount(0);
}
