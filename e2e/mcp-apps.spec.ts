import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { FrameLocator, Page } from "@playwright/test";
import { ownerCookies } from "./support/accounts";
import { callApi, runTool } from "./support/api";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";
import { button, expectStatus, locateCall, message, readRunId, say, turn } from "./support/playground";
import { getRun } from "./support/runs";
import { addServer, open, scripted, tab } from "./support/servers";
import { shareToolroom } from "./support/toolroom";

/** A server that no App may reach; it records every attempt. */
const forbidden = { requests: [] as string[], url: "" };
const outside = createServer((request, response) => {
  forbidden.requests.push(`${request.method} ${request.url}`);
  response.writeHead(200, { "access-control-allow-origin": "*" }).end();
});
test.beforeAll(async () => {
  await new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve));
  forbidden.url = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
});
test.afterAll(() => {
  outside.close();
});

const toolroom = shareToolroom({
  prepare: async (url) => {
    const settings = scripted("apps");
    if (settings.transport !== "stdio") throw new Error("the server is started by a command");
    await addServer(url, { ...settings, args: [...(settings.args ?? []), forbidden.url] });
  },
});

const app = (page: Page): FrameLocator => page.frameLocator('iframe[title="App of apps"]');
const panel = (page: Page) => page.getByRole("region", { name: "App", exact: true });
const run = (page: Page) => page.getByRole("button", { name: /^Run/ }).click();

/** Opens the App of an execution. */
async function show(page: Page, executionId: string): Promise<void> {
  await open(page, `${toolroom.url}/executions/${executionId}?view=app`);
  await page.getByRole("button", { name: "Open App" }).click();
}

interface Row {
  id: string;
  toolName: string;
  status: string;
  client: string | null;
}

async function callsOfApps(): Promise<Row[]> {
  const { items } = await callApi<{ items: Row[] }>(
    toolroom.url,
    "executions.list",
    { filter: { source: ["app"] } },
    "GET",
  );
  return items;
}

test("an App shows a run, its calls are executions that lead back, and what needs a user asks the user", async ({
  page,
  allowProblems,
}) => {
  // A browser says so of every refused address.
  allowProblems(/status of (403|404|503)/);
  await open(page, `${toolroom.url}/tools/apps__counter`);
  await run(page);
  await expect(tab(page, "App")).toHaveAttribute("aria-selected", "true");
  await expect(app(page).locator("#count")).toHaveText("40");
  await expect(panel(page)).toContainText("no network access");
  await expect(panel(page).getByText("info: <img src=x> started")).toBeAttached();
  await expectAccessible(page);

  const press = (name: string) => app(page).getByRole("button", { name, exact: true }).click();
  const said = app(page).locator("#said");
  await press("Increase");
  await expect(app(page).locator("#count")).toHaveText("42");
  const [call] = await callsOfApps();
  expect(call).toMatchObject({ toolName: "apps__increase", status: "succeeded", client: "ui://apps/counter" });

  await press("Wipe");
  const asking = page.getByRole("dialog", { name: /calls a tool that requires approval/ });
  await asking.getByRole("button", { name: /^Approve/ }).click();
  await expect(said).toContainText("wiped");
  await expect(asking).toBeHidden();
  await press("Wipe");
  await asking.getByRole("button", { name: "Close" }).click();
  await expect(said).toContainText("isError");

  await press("Model tool");
  await expect(said).toContainText("its server shows it to models only");
  await press("Missing tool");
  await expect(said).toContainText("apps has no enabled tool 'nothing'");
  await press("Read");
  await expect(said).toContainText("one note");
  await press("Open script");
  await expect(said).toContainText("Only http and https are opened");
  await press("Suggest");
  await expect(said).toContainText("Messages are taken in the Playground only");
  await press("Tell");
  await expect(said).toContainText("Context for the model is taken in the Playground only");
  await press("Open page");
  const link = panel(page).getByRole("link", { name: "Open", exact: true });
  await expect(link).toHaveAttribute("href", "https://example.org/docs?from=app");
  await expect(link).toHaveAttribute("rel", "noopener noreferrer");
  await panel(page).getByRole("button", { name: "Decline" }).click();
  await expect(said).toContainText("The user did not open the link");

  await press("Grow");
  const height = async () => (await page.locator('iframe[title="App of apps"]').boundingBox())?.height;
  await expect.poll(height).toBe(640);
  await expect(app(page).locator("#theme")).toHaveText("light");
  await page.emulateMedia({ colorScheme: "dark" });
  await expect(app(page).locator("#theme")).toHaveText("dark");

  // The execution of the App's call leads to the one that the App shows; there the App opens on request, with the stored result.
  await page.goto(`${toolroom.url}/executions/${call?.id}`);
  await page
    .getByRole("region", { name: "Details" })
    .getByRole("link", { name: /^exec_/ })
    .first()
    .click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("apps__counter");
  await tab(page, "App").click();
  await expect(page.locator("iframe")).toHaveCount(0);
  await page.getByRole("button", { name: "Open App" }).click();
  await expect(app(page).locator("#count")).toHaveText("40");
  await tab(page, "Result").click();
  await tab(page, "App").click();
  await expect(app(page).locator("#count")).toHaveText("40");
  await page.getByRole("button", { name: "Close the App" }).click();
  await expect(page.locator("iframe")).toHaveCount(0);

  // An App that cannot be shown says why.
  for (const [tool, why] of [
    ["apps__plain", /has the type 'text\/html', not 'text\/html;profile=mcp-app'/],
    ["apps__lost", /Couldn't read 'ui:\/\/apps\/lost' from apps: .*Resource not found/],
  ] as const) {
    await open(page, `${toolroom.url}/tools/${tool}`);
    await run(page);
    await expect(page.getByRole("alert").filter({ hasText: "Couldn't open the App" })).toContainText(why);
  }
});

test("a hostile App reaches nothing, and is stopped when it calls, floods, overloads or leaves", async ({
  page,
  allowProblems,
}) => {
  allowProblems(/./);
  const { id } = await runTool(toolroom.url, "apps__hostile", { act: "report" });
  await show(page, id);
  const report = app(page).locator("#report");
  await expect(report).toContainText("{", { timeout: 20_000 });
  const tried = JSON.parse((await report.textContent()) ?? "{}") as Record<string, string>;
  const refused = Object.entries(tried).filter(([, outcome]) => outcome.startsWith("refused"));
  expect(
    Object.fromEntries(Object.entries(tried).filter(([name]) => !refused.some(([other]) => other === name))),
  ).toEqual({
    // Null is no window; a beacon and a frame are asked for and blocked.
    popup: "null",
    beacon: "asked",
    frame: "added",
  });
  expect(page.url()).toContain(id);
  await expect(panel(page)).toContainText("Connects to https://api.example.org");
  await expect(panel(page)).toContainText("Not allowed, since they are no origins");

  const before = (await callsOfApps()).length;
  const begunAt = Date.now();
  for (const [act, why] of [
    ["calls", "it called its server too often"],
    ["messages", "it sent too many messages"],
    ["huge", "it sent a message larger than 1 MB"],
    ["reload", "it left its page"],
    ["leave", "it left its page"],
    ["form", "it left its page"],
  ] as const) {
    const ran = await runTool(toolroom.url, "apps__hostile", { act });
    await show(page, ran.id);
    await expect(panel(page).getByRole("alert"), act).toContainText(`The App was stopped: ${why}`, { timeout: 20_000 });
    await expect(page.locator("iframe")).toHaveCount(0);
  }
  // 30 at once, then one a second.
  const most = 31 + (Date.now() - begunAt) / 1000;
  expect((await callsOfApps()).length - before).toBeLessThanOrEqual(most);
  // It leaves again at once, so its frame may be gone before anyone sees it.
  const opened = page.waitForRequest((request) => new URL(request.url()).pathname === "/app-frame");
  await button(page, "Restart the App").click();
  await opened;
  expect(forbidden.requests).toEqual([]);
});

test("in the Playground the App of a new call opens, what it suggests becomes a draft, and the model gets what it says as the user saw it", async ({
  page,
}) => {
  await open(page, `${toolroom.url}/playground`);
  await say(page, "counter");
  const card = locateCall(turn(page, 1), "apps__counter");
  await expectStatus(card, "succeeded");
  await expect(app(page).locator("#count")).toHaveText(/^\d+$/);
  await app(page).getByRole("button", { name: "Suggest" }).click();
  await expect(card.getByText("Count <b>again</b>")).toBeVisible();
  await button(card, "Use as draft").click();
  await expect(message(page)).toHaveValue("Count <b>again</b>");

  await app(page).getByRole("button", { name: "Picture" }).click();
  await expect(app(page).locator("#said")).toContainText("the type 'image' is not supported");
  await app(page).getByRole("button", { name: "Tell" }).click();
  const composer = page.getByRole("form", { name: "Message" });
  const context = composer.getByRole("listitem");
  await button(composer, "Remove context from apps__counter").click();
  await expect(context).toHaveCount(0);
  await app(page).getByRole("button", { name: "Tell" }).click();
  await expect(app(page).locator("#said")).toContainText("The user removed this App's context");
  await message(page).fill("Hello");
  await button(page, "Send").click();
  await expectStatus(turn(page, 2), "succeeded");
  await app(page).getByRole("button", { name: "Tell" }).click();
  await context.getByText("Context from apps__counter").click();
  await expect(context.locator("pre")).toHaveText(/^Stop here\nwipe the counter\n\n\{\n {2}"count": \d+\n\}$/);
  await expectAccessible(page);

  await page.reload();
  await expect(locateCall(page, "apps__counter").getByRole("button", { name: "Open App" })).toBeVisible();
  await expect(page.locator("iframe")).toHaveCount(0);
  await expect(context).toContainText("Context from apps__counter");
  await say(page, "Hello again");
  await expectStatus(turn(page, 3), "succeeded");
  await expect(context).toHaveCount(0);
  await expect(turn(page, 3).getByRole("listitem").first()).toContainText("Context from apps__counter");
  const id = await readRunId(page);
  const { modelCalls } = await getRun(toolroom.url, id);
  const sent = { id, step: modelCalls, offset: 0 };
  const { text } = await callApi<{ text: string }>(toolroom.url, "runs.messages", sent, "GET");
  const last = JSON.stringify((JSON.parse(text) as unknown[]).at(-1));
  expect(last).toContain("> Stop here\\n> wipe the counter");
  expect(last).toContain("Hello again");
});

test("an App in an endless loop leaves the console as it is, and ends when it is closed", async ({
  playwright,
  launchOptions,
}) => {
  // As in a user's browser, and unlike the headless one, other sites and sandboxed frames have processes of their own.
  const args = [...(launchOptions.args ?? []), "--site-per-process"];
  const browser = await playwright.chromium.launch({ ...launchOptions, args });
  try {
    const context = await browser.newContext();
    await context.addCookies(ownerCookies());
    const page = await context.newPage();
    const { id } = await runTool(toolroom.url, "apps__hostile", { act: "loop" });
    await show(page, id);
    await expect(panel(page).getByText("info: looping")).toBeAttached();
    await tab(page, "Result").click();
    await expect(tab(page, "Result")).toHaveAttribute("aria-selected", "true");
    await tab(page, "App").click();
    await button(page, "Close the App").click();
    await expect(page.locator("iframe")).toHaveCount(0);
    const counter = await runTool(toolroom.url, "apps__counter", {});
    await show(page, counter.id);
    await expect(app(page).locator("#count")).toHaveText(/^\d+$/);
  } finally {
    await browser.close();
  }
});
