import type { Locator } from "@playwright/test";
import { ownerCookies } from "./support/accounts";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";
import { tabTo } from "./support/keyboard";
import {
  button,
  conversation,
  expectGrowth,
  expectStatus,
  LONG_STORY,
  locateCall,
  message,
  readRunId,
  say,
  turn,
} from "./support/playground";
import { getRun, listExecutions, whenRun } from "./support/runs";
import { open } from "./support/servers";
import { shareToolroom } from "./support/toolroom";

const toolroom = shareToolroom();

test("AGT-08 AGT-11 the demo model calls two tools, each call leads to its execution and back, and the run shows it all", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { url } = toolroom;
  await open(page, `${url}/playground`);
  await expect(button(page, "Model: demo demo")).toBeVisible();
  await say(page, 'echo {"a":1} and what is 12*7');
  await expectStatus(locateCall(turn(page, 1), "echo"), "succeeded");
  await expectStatus(locateCall(turn(page, 1), "calculator"), "succeeded");
  await expectStatus(turn(page, 1), "succeeded");
  await expect(turn(page, 1)).toContainText("84");
  await expect(turn(page, 1)).toContainText("2 model calls · 2 tool calls");
  const id = await readRunId(page);
  await expect(page).toHaveURL(`${url}/playground?run=${id}`);

  // From the call to its execution, and from there back.
  await locateCall(page, "calculator").getByRole("link", { name: "Execution of calculator" }).click();
  await expect(page).toHaveURL(/\/executions\/exec_/);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("calculator");
  await page.getByRole("region", { name: "Details" }).getByRole("link", { name: id }).click();
  await expect(page).toHaveURL(`${url}/runs/${id}`);
  await expect(page.getByRole("heading", { level: 1 })).toContainText('echo {"a":1} and what is 12*7');

  const conversationTab = page.getByRole("tabpanel", { name: "Conversation" });
  await expectStatus(locateCall(conversationTab, "echo"), "succeeded");
  await locateCall(conversationTab, "echo").getByRole("button", { expanded: false }).click();
  await expect(locateCall(conversationTab, "echo").getByRole("region", { name: "Result" })).toContainText("echo");

  await page.getByRole("tab", { name: "Timeline" }).click();
  const bars = page.getByRole("list", { name: /^Timeline: 4 calls in/ }).getByRole("link");
  await expect(bars).toHaveCount(4);
  await expect(bars.filter({ hasText: "Model demo" })).toHaveCount(2);
  await expect(bars.filter({ hasText: "Tool echo" })).toContainText("step 1, succeeded");
  await expect(bars.filter({ hasText: "Tool calculator" })).toContainText("step 1, succeeded");

  // The second request: what was asked, the calls, and one message with both results in call order.
  await bars.filter({ hasText: "Model demo" }).last().click();
  await expect(page).toHaveURL(/#step-2$/);
  await page.getByRole("button", { name: "Step 2", exact: true }).click();
  await page.getByRole("menuitem", { name: "Copy messages as JSON" }).click();
  await expect(page.getByText("Copied the messages as JSON")).toBeVisible();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  const copied = JSON.parse(text) as { role: string; contents: { name?: string }[] }[];
  expect(copied.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  expect(copied[2]?.contents.map(({ name }) => name)).toEqual(["echo", "calculator"]);
});

test("AGT-08 another message continues the same run, and the list of runs shows it", async ({ page }) => {
  const { url } = toolroom;
  await open(page, `${url}/playground?toolset=all`);
  await say(page, "what is 6*7");
  await expectStatus(turn(page, 1), "succeeded");
  await expect(turn(page, 1)).toContainText("42");
  const id = await readRunId(page);
  await say(page, "weather in Oslo");
  await expectStatus(turn(page, 2), "succeeded");
  await expectStatus(locateCall(turn(page, 2), "get_weather"), "succeeded");
  await expect(turn(page, 2)).toContainText("sunny");
  expect(await readRunId(page)).toBe(id);
  expect((await listExecutions(url, id)).map(({ toolName }) => toolName)).toEqual(["calculator", "get_weather"]);

  await page.goto(`${url}/runs`);
  const row = page.getByRole("row").filter({ hasText: "what is 6*7" });
  await expect(row).toHaveCount(1);
  await expect(row.locator('[data-status="succeeded"]')).toBeVisible();
  await row.getByRole("link").click();
  await expect(page).toHaveURL(`${url}/runs/${id}`);
  await expect(turn(page, 2)).toContainText("sunny");
  await expect(row).toHaveAttribute("aria-current", "page");
  await say(page, "what is 2^10");
  await expectStatus(turn(page, 3), "succeeded");
  await expect(turn(page, 3)).toContainText("1024");
});

test("AGT-11 text streams in, Stop ends it, the partial text stays, and the run continues by resume or by a new message", async ({
  page,
}) => {
  test.setTimeout(60_000);
  const { url } = toolroom;
  await open(page, `${url}/playground?toolset=all`);
  await say(page, LONG_STORY.ask);
  await expect(turn(page, 1)).toContainText(LONG_STORY.begins);
  await expectStatus(turn(page, 1), "running");
  await expectGrowth(turn(page, 1));
  await button(page, "Stop").click();
  await expectStatus(turn(page, 1), "cancelled");
  await expect(turn(page, 1)).toContainText(LONG_STORY.begins);
  await expect(turn(page, 1)).not.toContainText(LONG_STORY.ends);
  const id = await readRunId(page);
  const stopped = await whenRun(url, id, "cancelled");
  const said = stopped.events.findLast((event) => event.type === "model_finished");
  expect(said).toMatchObject({ partial: true });

  // The stored draft is in a fresh page too.
  await page.reload();
  await expect(turn(page, 1)).toContainText(LONG_STORY.begins);
  await button(turn(page, 1), "Resume").click();
  await expect(turn(page, 1)).toContainText("resumed from its log");
  await expectStatus(turn(page, 1), "running");
  await expect(button(page, "Stop")).toBeVisible();
  await page.keyboard.press("Escape");
  await expectStatus(turn(page, 1), "cancelled");

  await say(page, "what is 3*5");
  await expectStatus(turn(page, 2), "succeeded");
  await expect(turn(page, 2)).toContainText("15");
  expect((await getRun(url, id)).status).toBe("succeeded");
});

test("AGT-11 a run continues when its tab is closed, and a tab opened later shows earlier and new text", async ({
  page,
  browser,
}) => {
  test.setTimeout(60_000);
  const { url } = toolroom;
  await open(page, `${url}/playground?toolset=all`);
  await say(page, LONG_STORY.ask);
  await expect(turn(page, 1)).toContainText(LONG_STORY.begins);
  const id = await readRunId(page);
  await page.close();
  const context = await browser.newContext();
  await context.addCookies(ownerCookies());
  try {
    const late = await context.newPage();
    await open(late, `${url}/playground?run=${id}`);
    await expect(turn(late, 1)).toContainText(LONG_STORY.begins);
    await expectStatus(turn(late, 1), "running");
    const begin = "A run records each message";
    const countParagraphs = (text: string | null | undefined) => (text?.split(begin).length ?? 1) - 1;
    const countShown = async () => countParagraphs(await turn(late, 1).textContent());
    await expect.poll(countShown, { timeout: 20_000 }).toBeGreaterThan(2);
    await button(late, "Stop").click();
    await expectStatus(turn(late, 1), "cancelled");
    const answer = (await getRun(url, id)).events.findLast((event) => event.type === "model_finished");
    const text = answer?.message.contents.map((content) => (content.type === "text" ? content.text : "")).join("");
    // Nothing twice, nothing missed.
    await expect.poll(countShown).toBe(countParagraphs(text));
  } finally {
    await context.close();
  }
});

test("AGT-08 the keyboard alone: write, send, open a call, stop, continue, open the timeline", async ({ page }) => {
  const { url } = toolroom;
  await open(page, `${url}/playground?toolset=all`);
  await tabTo(page, message(page));
  await page.keyboard.type("what is 9*9");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Enter");
  await expectStatus(turn(page, 1), "succeeded");
  await expect(message(page)).toBeFocused();
  const head = locateCall(page, "calculator").getByRole("button", { name: /^calculator/ });
  await tabTo(page, head, "Shift+Tab");
  await page.keyboard.press("Enter");
  await expect(head).toHaveAttribute("aria-expanded", "true");
  await expect(locateCall(page, "calculator").getByRole("region", { name: "Result" })).toContainText("81");
  await tabTo(page, message(page));
  await page.keyboard.type(LONG_STORY.ask);
  await page.keyboard.press("Enter");
  await expect(turn(page, 2)).toContainText(LONG_STORY.begins);
  await page.keyboard.press("Escape");
  await expectStatus(turn(page, 2), "cancelled");
  await tabTo(page, page.getByRole("tab", { name: "Conversation" }), "Shift+Tab");
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("list", { name: /^Timeline/ })).toBeVisible();
});

test("AGT-08 a conversation is held at 375 px: settings in a sheet, nothing scrolls sideways", async ({ page }) => {
  await page.setViewportSize({ width: 375, height: 740 });
  await open(page, `${toolroom.url}/playground`);
  await page.getByRole("button", { name: "Settings, model demo" }).click();
  const sheet = page.getByRole("dialog", { name: "Settings" });
  await sheet.getByRole("radiogroup", { name: "Tools" }).getByRole("radio", { name: "Some" }).check();
  await sheet.getByRole("checkbox", { name: "calculator" }).check();
  const measureOverflow = (place: Locator) =>
    place.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  expect(await measureOverflow(sheet)).toBeLessThanOrEqual(0);
  await page.keyboard.press("Escape");
  await expect(sheet).toHaveCount(0);
  await say(page, "what is 8*8");
  await expectStatus(turn(page, 1), "succeeded");
  await expect(turn(page, 1)).toContainText("64");
  expect(await measureOverflow(conversation(page))).toBeLessThanOrEqual(0);
  const { settings } = await getRun(toolroom.url, await readRunId(page));
  expect(settings.tools).toEqual({ mode: "some", tools: ["calculator"], servers: [] });
});

test("axe finds nothing in a Playground that streams, is stopped and has every kind of call", async ({ page }) => {
  test.setTimeout(90_000);
  await open(page, `${toolroom.url}/playground?toolset=some&tools=echo`);
  await expect(page.getByRole("checkbox", { name: "echo" })).toBeChecked();
  await expectAccessible(page);
  await page.getByRole("radiogroup", { name: "Tools" }).getByRole("radio", { name: "All" }).check();
  await say(page, 'get_weather {"location":"Oslo","units":"kelvin"} and what is 1+1');
  await expectStatus(turn(page, 1), "succeeded");
  await expectAccessible(page);
  await say(page, LONG_STORY.ask);
  await expect(turn(page, 2)).toContainText(LONG_STORY.begins);
  await expectAccessible(page);
  await button(page, "Stop").click();
  await expectStatus(turn(page, 2), "cancelled");
  await expectAccessible(page);
});
