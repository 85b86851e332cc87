import { readFileSync } from "node:fs";
import { code, editAs, input, runButton } from "./support/arguments-editor";
import { expect, test } from "./support/fixtures";
import { GATEWAY_CLIENTS } from "./support/gateway-clients";
import { button, expectStatus, locateCall, say, turn } from "./support/playground";
import { addServer, open, scripted, tab } from "./support/servers";

test("EXE-01 EXE-06 first run: run a sample tool, find it, replay it with an edit beside the original, connect a server and a client", async ({
  page,
  startServer,
}) => {
  const { url } = await startServer();
  await page.goto(url);
  await expect(page.getByRole("heading", { name: "Get started" })).toBeVisible();
  await page.getByRole("link", { name: "Run get_weather" }).click();

  await expect(page.getByRole("heading", { level: 1, name: "get_weather" })).toBeVisible();
  await expect(page).toHaveTitle("get_weather · Tools · Toolroom");
  await page.getByLabel("location", { exact: true }).fill("Oslo");
  await page.getByRole("button", { name: /^Run (⌘|Ctrl\+)↵$/ }).click();
  const result = page.getByRole("region", { name: "Result" });
  await expect(result.locator('[data-status="succeeded"]')).toBeVisible();
  await expect(result).toContainText("sunny");

  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await expect(page.getByText("done").first()).toBeVisible();
  await page
    .getByRole("link", { name: /^Executions/ })
    .first()
    .click();
  const row = page.getByRole("row").filter({ hasText: "get_weather" });
  await expect(row).toContainText('{ "location": "Oslo" }');
  await row.getByRole("link", { name: /get_weather/ }).press("Enter");

  await expect(page).toHaveURL(/\/executions\/exec_/);
  const originalUrl = page.url();
  await page.getByRole("tab", { name: "Edit and replay" }).click();
  await page.getByLabel("location", { exact: true }).fill("Bergen");
  await page.getByRole("button", { name: /^Run again (⌘|Ctrl\+)↵$/ }).click();
  await page
    .getByRole("link", { name: /Compare/ })
    .first()
    .click();

  await expect(page).toHaveURL(/\/compare\?/);
  await expect(page.getByText("Oslo").first()).toBeVisible();
  await expect(page.getByText("Bergen").first()).toBeVisible();

  await page.goto(originalUrl);
  await expect(page.getByRole("tab", { name: /Replays\s*1/ })).toBeVisible();
  // The last two steps turn done by themselves.
  await open(page, url);
  const step = (name: string) => page.getByRole("listitem").filter({ has: page.getByRole("heading", { name }) });
  await expectStatus(step("Run a tool"), "succeeded");
  await expectStatus(step("Replay a call"), "succeeded");
  await expectStatus(step("Connect a server"), "waiting");
  await addServer(url, scripted("echo"));
  await expectStatus(step("Connect a server"), "succeeded");
  await expect(step("Connect a server")).toContainText("echo is connected");
  await step("Connect a client").getByRole("link", { name: "Connect a client" }).click();
  await expect(page.getByRole("region", { name: "Connect a client" })).toBeVisible();
  await page.goBack();
  await expectStatus(step("Connect a client"), "waiting");
  const client = await GATEWAY_CLIENTS[0]?.connect(`${url}/mcp`);
  await expect(page.getByRole("heading", { name: "Get started" })).toHaveCount(0);
  await client?.close();
});

test("REG-02 AGT-05 TIME-03 every step of the tour that a new database allows does what it says", async ({
  page,
  context,
  startServer,
}) => {
  test.setTimeout(60_000);
  const { url } = await startServer();
  const tour = readFileSync("docs/start.md", "utf8").replaceAll(/\s+/g, " ");
  const says = (text: string) => expect(tour).toContain(text);
  const result = page.getByRole("region", { name: "Result" });

  says('add a unit that does not exist: `"units": "kelvin"`');
  await open(page, `${url}/tools/get_weather`);
  await input(page, "location").fill("Oslo");
  await editAs(page, "JSON");
  await code(page).fill('{ "location": "Oslo", "units": "kelvin" }');
  await expect(page.getByText(/celsius.*fahrenheit/).first()).toBeVisible();
  await expect(runButton(page)).toHaveAttribute("aria-disabled", "true");
  await button(page, "Run anyway").click();
  await expect(result.locator('[data-status="succeeded"]')).toBeVisible();

  says("Run `slow_report` with 60 `steps`");
  await open(page, `${url}/tools/slow_report`);
  await input(page, "steps").fill("60");
  await runButton(page).click();
  await expect(result.locator('[data-status="running"]')).toBeVisible();
  await tab(page, /^Log/).click();
  await expect(page.getByText("Step 1 of 60 done")).toBeVisible();
  const other = await context.newPage();
  await open(other, `${url}/executions`);
  await other
    .getByRole("row")
    .filter({ hasText: "slow_report" })
    .getByRole("link", { name: /slow_report/ })
    .click();
  await tab(other, /^Log/).click();
  await expect(other.getByText(/Step \d+ of 60 done/).first()).toBeVisible();
  await other.close();
  await button(page, "Cancel").first().click();
  await expect(result.locator('[data-status="cancelled"]')).toBeVisible();

  says("_Servers → Paste an mcp.json_");
  says("_Add the sample server_");
  await open(page, `${url}/servers`);
  await expect(page.getByRole("link", { name: /^Paste an mcp\.json/ })).toBeVisible();
  await page.getByRole("link", { name: /^Add the sample server/ }).click();
  await expect(page.getByRole("textbox", { name: /^Name/ })).toHaveValue("zwave");

  says("send `what is 12*7` or `weather in Oslo`");
  await open(page, `${url}/playground`);
  await say(page, "what is 12*7");
  await expectStatus(locateCall(turn(page, 1), "calculator"), "succeeded");
  await say(page, "weather in Oslo");
  await expectStatus(turn(page, 2), "succeeded");
  says("Its tabs show the conversation and its _Timeline_");
  await expect(tab(page, "Timeline")).toBeVisible();
  await page.getByRole("button", { name: "Step 1", exact: true }).click();
  await expect(page.getByRole("menuitem", { name: "Rerun from here…" })).toBeVisible();
  await page.keyboard.press("Escape");

  says("Run `delete_report`");
  await open(page, `${url}/tools/delete_report`);
  await input(page, "report").fill("2026-06");
  await runButton(page).click();
  const card = page.getByRole("article", { name: "Approval of delete_report" });
  await expect(card).toBeVisible();
  await page
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: /^Approvals/ })
    .click();
  // The tool's page has a card of the same name.
  await expect(page.getByRole("heading", { level: 1, name: "Approvals" })).toBeVisible();
  await button(card, "Approve").click();
  await expectStatus(card, "approved");
  await open(page, `${url}/executions`);
  const deleted = page.getByRole("row").filter({ hasText: "delete_report" });
  await expect(deleted.locator('[data-status="succeeded"]').first()).toBeVisible();
});

test("REG-03 REG-04 a tool is registered in the browser, refused with reasons while wrong, then run, edited, deleted and brought back", async ({
  page,
  sharedServer: { url },
  allowProblems,
}) => {
  // The console says so itself when a request is refused.
  allowProblems(/status of 409/);
  await page.goto(`${url}/tools/new`);
  await page.getByLabel("Name", { exact: false }).first().fill("echo");
  await page.getByLabel("Description", { exact: false }).first().fill("Finds a customer by name");
  await expect(page.getByText("Not ready to save")).toBeVisible();
  await expect(page.getByText(/already taken/)).toHaveCount(0);
  await page.getByRole("button", { name: /^Create tool/ }).click();
  await expect(page.getByText(/'echo' is already taken/)).toHaveCount(1);
  await page.getByLabel("Name", { exact: false }).first().fill("find_customer");
  await expect(page.getByText(/already taken/)).toHaveCount(0);
  await page.getByRole("button", { name: /^Create tool/ }).click();

  await expect(page).toHaveURL(`${url}/tools/find_customer`);
  await page.getByLabel("query", { exact: true }).fill("Ada");
  await page.getByRole("button", { name: /^Run (⌘|Ctrl\+)↵$/ }).click();
  await expect(page.getByRole("region", { name: "Result" }).locator('[data-status="succeeded"]')).toBeVisible();

  await page.getByRole("button", { name: "Actions for find_customer" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await expect(page).toHaveURL(`${url}/tools`);
  await expect(page.getByRole("link", { name: "find_customer" })).toHaveCount(0);
  // The notice floats: the page has the whole window, on a phone too.
  for (const size of [
    { width: 375, height: 740 },
    { width: 1280, height: 720 },
  ]) {
    await page.setViewportSize(size);
    const undo = await page.getByRole("button", { name: "Undo" }).boundingBox();
    const main = await page.getByRole("main").boundingBox();
    expect((main?.y ?? 0) + (main?.height ?? 0)).toBe(size.height);
    expect((undo?.x ?? 0) + (undo?.width ?? 0)).toBeLessThan(size.width);
  }
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page).toHaveURL(`${url}/tools/find_customer`);
  await expect(page.getByRole("heading", { level: 1, name: "find_customer" })).toBeVisible();
  await expect(page.getByRole("link", { name: /^1 call all time/ })).toBeVisible();
});
