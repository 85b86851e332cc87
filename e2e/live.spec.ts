import type { Page, Request } from "@playwright/test";
import type { ToolDetail } from "../src/lib/contract/catalog-tool";
import { newExecutionId } from "../src/lib/execution-id";
import { callApi, mockTool, runTool } from "./support/api";
import { expect, test } from "./support/fixtures";
import { toolLink } from "./support/servers";

test("EXE-06 an execution that starts and ends elsewhere appears in two open tabs without a reload", async ({
  page,
  context,
  sharedServer: { url },
}) => {
  const executionId = newExecutionId();
  const other = await context.newPage();
  for (const tab of [page, other]) {
    await tab.goto(`${url}/executions`);
    await expect(tab.getByText("live", { exact: true })).toBeVisible();
  }
  const running = runTool(url, "slow_report", { steps: 4, step_ms: 700 }, { executionId });
  const row = (tab: Page) => tab.locator(`tr[data-execution="${executionId}"]`);
  for (const tab of [page, other]) await expect(row(tab).locator('[data-status="running"]')).toBeVisible();
  await running;
  for (const tab of [page, other]) await expect(row(tab).locator('[data-status="succeeded"]')).toBeVisible();
});

test("EXE-06 eight windows of one browser share one stream, so that each loads and calls; it stays when the window that holds it goes", async ({
  page,
  context,
  sharedServer: { url },
}) => {
  const streams = new Set<Request>();
  const end = (request: Request): void => void streams.delete(request);
  context.on("request", (request) => {
    if (new URL(request.url()).pathname === "/api/live") streams.add(request);
  });
  context.on("requestfinished", end);
  context.on("requestfailed", end);
  const windows = [page];
  while (windows.length < 8) windows.push(await context.newPage());
  const expectLive = async (): Promise<void> => {
    for (const each of windows) await expect(each.getByText("live", { exact: true })).toBeVisible();
    await expect.poll(() => streams.size).toBe(1);
  };
  for (const each of windows) await each.goto(`${url}/executions`);
  await expectLive();
  for (const each of windows) {
    expect(await each.evaluate(async () => (await fetch("/api/v1/tools?limit=1")).status)).toBe(200);
  }
  const [held] = [...streams] as [Request];
  const leader = held.frame().page();
  await leader.close();
  // A page that is closed does not say that its requests end.
  streams.delete(held);
  windows.splice(windows.indexOf(leader), 1);
  const { id } = await runTool(url, "echo", { message: "to all windows" });
  for (const each of windows) await expect(each.locator(`tr[data-execution="${id}"]`)).toBeVisible();
  await expectLive();
});

test("EXE-06 what changes between the reading of a page and the opening of its stream appears", async ({
  page,
  sharedServer: { url },
}) => {
  let openStreams = (): void => {};
  const held = new Promise<void>((resolve) => {
    openStreams = resolve;
  });
  await page.route("**/api/live", (route) => held.then(() => route.continue()));
  await page.goto(`${url}/tools`);
  await expect(toolLink(page, "echo")).toBeVisible();
  await callApi(url, "tools.create", { definition: mockTool("came_meanwhile", { type: "object" }) });
  openStreams();
  await expect(toolLink(page, "came_meanwhile")).toBeVisible();
  await callApi(url, "tools.delete", { name: "came_meanwhile" });
  await expect(toolLink(page, "came_meanwhile")).toHaveCount(0);
});

test("EXE-06 a paused list waits, counts what came, and shows it on request; an edited replay of a row is four clicks from its comparison", async ({
  page,
  sharedServer: { url },
}) => {
  const { id } = await runTool(url, "get_weather", { location: "Oslo" });
  await page.goto(`${url}/executions`);
  await expect(page.getByText("live", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Pause" }).click();
  await runTool(url, "echo", { message: "while paused" });
  await expect(page.getByRole("button", { name: /1 new/ })).toBeVisible();
  await expect(page.getByText("while paused")).toHaveCount(0);
  await page.getByRole("button", { name: /1 new/ }).click();
  await expect(page.getByRole("row").filter({ hasText: "while paused" })).toBeVisible();

  await page
    .locator(`tr[data-execution="${id}"]`)
    .getByRole("link", { name: /get_weather/ })
    .click();
  await page.getByRole("region", { name: "get_weather" }).getByRole("link", { name: "Edit and replay" }).click();
  await page.getByRole("textbox", { name: "location" }).fill("Bergen");
  await page.getByRole("button", { name: /^Run again/ }).click();
  await page.getByRole("region", { name: "New result" }).getByRole("link", { name: "Compare" }).click();
  await expect(page.getByRole("region", { name: "Arguments compared" })).toContainText("Bergen");
});

test("TIME-03 a running tool shows its log lines and progress as they come, also on a page that is opened later, and is cancelled at once", async ({
  page,
  context,
  sharedServer: { url },
}) => {
  await page.goto(`${url}/tools/slow_report`);
  // Text typed before the page's scripts run can be lost.
  await expect(page.getByText("live", { exact: true })).toBeVisible();
  await page.getByLabel("steps", { exact: true }).fill("60");
  await page.getByLabel("step_ms", { exact: true }).fill("300");
  await page.getByRole("button", { name: /^Run (⌘|Ctrl\+)↵$/ }).click();
  const result = page.getByRole("region", { name: "Result" });
  await expect(result.locator('[data-status="running"]')).toBeVisible();
  await page.getByRole("tab", { name: /^Log/ }).click();
  await expect(page.getByText("Step 2 of 60 done")).toBeVisible();
  const later = await context.newPage();
  await later.goto(`${url}${await result.getByRole("link", { name: "Open" }).getAttribute("href")}`);
  for (const step of [1, 8]) await expect(later.getByText(`Step ${step} of 60 done`)).toBeVisible();
  await page.getByRole("button", { name: "Cancel" }).first().click();
  await expect(result.locator('[data-status="cancelled"]')).toBeVisible();
});

test("REG-03 of two pages that edit one tool the second is told who changed what, and merges or overwrites", async ({
  page,
  context,
  allowProblems,
  sharedServer: { url },
}) => {
  allowProblems(/409/);
  const name = "edited_twice";
  await callApi(url, "tools.create", { definition: mockTool(name, { type: "object" }) });
  const other = await context.newPage();
  for (const tab of [page, other]) {
    await tab.goto(`${url}/tools/new?edit=${name}`);
    await tab.getByText("Hints, masked values").click();
  }
  const described = (tab: Page) => tab.getByRole("textbox", { name: /^Description/ });
  const titled = (tab: Page) => tab.getByRole("textbox", { name: /^Title/ });
  const save = (tab: Page) => tab.getByRole("button", { name: "Save changes" });
  await described(page).fill("Mine, of the first page");
  await described(other).fill("Theirs, of the second page");
  await titled(other).fill("Their title");
  await save(other).click();
  await other.waitForURL(`**/tools/${name}`);

  const conflict = page.getByRole("alert").filter({ hasText: "changed this tool after you started editing" });
  await expect(conflict).toContainText("adds theirs: Title");
  await expect(conflict).toContainText("Theirs, of the second page");
  // It is not merged yet.
  await save(page).click();
  await expect(page.getByRole("alert").filter({ hasText: "Not saved" })).toContainText("(revision 2)");
  await conflict.getByRole("button", { name: "Merge" }).click();
  await expect(described(page)).toHaveValue("Mine, of the first page");
  await expect(titled(page)).toHaveValue("Their title");
  await save(page).click();
  await page.waitForURL(`**/tools/${name}`);
  const { definition, lastEdit } = await callApi<ToolDetail>(url, "tools.get", { name }, "GET");
  expect(definition).toMatchObject({ description: "Mine, of the first page", title: "Their title" });
  expect(lastEdit?.revision).toBe(3);
  await callApi(url, "tools.delete", { name });
});
