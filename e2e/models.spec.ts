import type { Page } from "@playwright/test";
import type { ModelProviderSummary } from "../src/lib/contract/model";
import { authorize } from "./support/accounts";
import { callApi } from "./support/api";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";
import { type HeldVendor, startHeldVendor } from "./support/held-vendor";
import { button, expectStatus, locateCall, readRunId, say, turn } from "./support/playground";
import { getRun, listExecutions } from "./support/runs";
import { open } from "./support/servers";

const KEY = "sk-typed-once-4f1d9c77e0";

let vendor: HeldVendor;
test.beforeEach(async () => {
  vendor = await startHeldVendor();
});
test.afterEach(() => vendor.close());
test.afterEach(async ({ sharedServer: { url } }) => {
  const { items } = await callApi<{ items: ModelProviderSummary[] }>(url, "models.providers", undefined, "GET");
  for (const { name, origin } of items) if (origin === "console") await callApi(url, "models.deleteProvider", { name });
});

const card = (page: Page, provider: string) => page.getByRole("listitem", { name: provider, exact: true });

/** Adds it in the console, as a user does. */
async function addProvider(page: Page, name: string): Promise<void> {
  await button(page, "Add provider").first().click();
  const dialog = page.getByRole("dialog", { name: "Add model provider" });
  await dialog.getByLabel("Kind").selectOption("openai-compatible");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("API key").fill(KEY);
  await dialog.getByLabel("Base URL").fill(vendor.url);
  await dialog.getByRole("textbox", { name: "Models" }).fill("fake-chat-1");
  await button(dialog, "Add provider").click();
  await expect(dialog).toHaveCount(0);
  await expect(card(page, name)).toBeVisible();
}

/** Every answer but the streams that do not end, and what the browser sent. */
function watchTraffic(page: Page) {
  const answers: Promise<{ url: string; text: string }>[] = [];
  const sent: string[] = [];
  page.on("request", (request) => sent.push(`${request.url()} ${request.postData() ?? ""}`));
  page.on("response", (response) => {
    const type = response.headers()["content-type"] ?? "";
    if (type.startsWith("text/event-stream")) return;
    answers.push(
      response.text().then(
        (text) => ({ url: response.url(), text }),
        // A redirect has no body.
        () => ({ url: response.url(), text: "" }),
      ),
    );
  });
  return { sent, answers: () => Promise.all(answers) };
}

test("AGT-12 a provider is added with a key that is typed once, tested, chosen, and answers with a tool call", async ({
  page,
  sharedServer: server,
}) => {
  const { url } = server;
  const traffic = watchTraffic(page);
  // The events that open tabs receive, read outside the browser, which does not expose the body of an endless stream.
  const heard = new AbortController();
  let events = "";
  const stream = await fetch(`${url}/api/live`, {
    headers: { accept: "text/event-stream", ...authorize(url) },
    signal: heard.signal,
  });
  const listening = (async () => {
    for await (const chunk of stream.body ?? []) events += new TextDecoder().decode(chunk as Uint8Array);
  })().catch(() => undefined);

  await open(page, `${url}/settings/models`);
  await addProvider(page, "fake");
  await expect(card(page, "fake")).toContainText("stored, encrypted");
  await button(card(page, "fake"), "Test fake").click();
  await expect(card(page, "fake").getByRole("status").locator('[data-status="succeeded"]')).toBeVisible();
  expect(vendor.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);

  // Another look at its settings: the key is not there to be seen.
  await button(card(page, "fake"), "Edit fake").click();
  const dialog = page.getByRole("dialog", { name: "Edit fake" });
  await expect(dialog).toContainText("stored");
  await button(dialog, "Save").click();
  await expect(dialog).toHaveCount(0);

  await open(page, `${url}/playground`);
  await page.getByRole("button", { name: /^Model: / }).click();
  await page.getByRole("combobox", { name: "Search models" }).fill("fake-chat-1");
  await page
    .getByRole("option", { name: /fake-chat-1/ })
    .first()
    .click();
  await expect(page.getByRole("button", { name: /^Model: fake-chat-1 fake/ })).toBeVisible();
  vendor.script([
    { kind: "calls", calls: [{ name: "calculator", args: { expression: "6*7" } }], text: "Let me count." },
    { kind: "text", text: "It makes **forty-two**." },
  ]);
  await say(page, "How much is six times seven?");
  await expectStatus(locateCall(turn(page, 1), "calculator"), "succeeded");
  await expectStatus(turn(page, 1), "succeeded");
  await expect(turn(page, 1)).toContainText("Let me count.");
  await expect(turn(page, 1).getByText("forty-two")).toBeVisible();
  const id = await readRunId(page);
  expect(await listExecutions(url, id)).toHaveLength(1);
  const chats = vendor.requests.filter(({ method }) => method === "POST");
  expect(chats.every(({ headers }) => headers.authorization === `Bearer ${KEY}`)).toBe(true);
  // The result went back to the model under the call's own id.
  const messages = chats.at(-1)?.body.messages as { role: string; tool_call_id?: string; content?: string }[];
  const told = messages.find(({ role }) => role === "tool");
  expect(told?.content).toContain("42");
  expect((await getRun(url, id)).usage.inputTokens).toBeGreaterThan(0);
  await page.goto(`${url}/runs/${id}`);
  await expect(page.getByRole("main")).toContainText("fake / fake-chat-1");
  await page.goto(`${url}/settings/models`);
  await expect(card(page, "fake")).toBeVisible();

  heard.abort();
  await listening;
  const answers = await traffic.answers();
  expect(answers.length).toBeGreaterThan(20);
  expect(answers.filter(({ text }) => text.includes(KEY)).map((answer) => answer.url)).toEqual([]);
  expect(traffic.sent.filter((text) => text.includes(KEY))).toHaveLength(1);
  expect(traffic.sent.filter((text) => text.split(" ")[0]?.includes(KEY))).toEqual([]);
  expect(events.length).toBeGreaterThan(0);
  expect(events).not.toContain(KEY);
  expect(await page.content()).not.toContain(KEY);
  expect(server.output()).not.toContain(KEY);
});

test("ERR-01 a provider that refuses the key is said so by its test, and by a run, which is tried again from there", async ({
  page,
  sharedServer: { url },
}) => {
  await open(page, `${url}/settings/models`);
  await addProvider(page, "locked");
  vendor.script([{ kind: "status", status: 401, message: "Incorrect API key provided." }]);
  await button(card(page, "locked"), "Test locked").click();
  const outcome = card(page, "locked").getByRole("status").locator('[data-status="failed"]');
  await expect(outcome).toContainText("key");
  await expect(outcome).not.toContainText(KEY);

  await open(page, `${url}/playground?provider=locked&model=fake-chat-1`);
  vendor.script([{ kind: "status", status: 401, message: "Incorrect API key provided." }]);
  await say(page, "Hello");
  await expectStatus(turn(page, 1), "failed");
  await expect(turn(page, 1)).toContainText("The run failed");
  vendor.script([{ kind: "text", text: "Now I can." }]);
  await button(turn(page, 1), "Try again from here").click();
  await expectStatus(turn(page, 1), "succeeded");
  await expect(turn(page, 1)).toContainText("Now I can.");
});

/** Seven evals, whose runs ask the model seven times. */
async function createSuite(url: string, suite: string): Promise<void> {
  for (let at = 1; at <= 7; at += 1) {
    const input = { suite, question: `How much is ${at} times six?`, expected: ["calculator"] };
    await callApi(url, "suites.addEval", input);
  }
}

test("AGT-12 a run of a suite shows each attempt as it ends, and what failed", async ({
  page,
  sharedServer: { url },
}) => {
  await open(page, `${url}/settings/models`);
  await addProvider(page, "checked");
  await createSuite(url, "counting");
  vendor.script(Array.from({ length: 7 }, () => ({ kind: "text" as const, text: "I would rather not say." })));
  vendor.hold();
  await open(page, `${url}/suites/counting`);
  await button(page, "Run with a model").click();
  const dialog = page.getByRole("dialog", { name: "Run counting" });
  await dialog.getByLabel("Provider").selectOption("checked");
  await dialog.getByRole("combobox", { name: "Models" }).fill("fake-chat-1");
  await dialog.getByLabel("Rounds").fill("1");
  await expect(dialog).toContainText("7 evals × 1 = 7 attempts.");
  await button(dialog, "Start run").click();
  await expect(page).toHaveURL(/\/suites\/runs\/evalrun_/);
  const main = page.getByRole("main");
  await expect(main).toContainText("0 / 7");
  vendor.release(3);
  await expect(main).toContainText("3 / 7");
  await expect(main.getByRole("progressbar", { name: "Attempts that ended" })).toHaveAttribute("value", "3");
  vendor.release();
  await expect(main).toContainText("0 of 7 passed");
  await expect(main.getByRole("progressbar")).toHaveCount(0);
  const failed = page.getByRole("region", { name: "What went wrong" });
  await expect(failed.getByRole("listitem")).toHaveCount(7);
  await expect(failed).toContainText("The model answered without a call of calculator.");
});

test("axe finds nothing in the settings of models, their form, their test and the picker", async ({
  page,
  sharedServer: { url },
}) => {
  test.setTimeout(90_000);
  await open(page, `${url}/settings/models`);
  await button(page, "Add provider").first().click();
  const dialog = page.getByRole("dialog", { name: "Add model provider" });
  await dialog.getByLabel("Kind").selectOption("openai-compatible");
  await button(dialog, "Add provider").click();
  // A missing value is reported beside its field.
  await expect(dialog.locator('[aria-invalid="true"]').first()).toBeVisible();
  await expectAccessible(page);
  await button(dialog, "Cancel").click();
  await addProvider(page, "seen");
  await button(card(page, "seen"), "Test seen").click();
  await expect(card(page, "seen").getByRole("status").locator('[data-status="succeeded"]')).toBeVisible();
  await expectAccessible(page);
  await open(page, `${url}/playground?provider=seen&model=fake-chat-1`);
  await page.getByRole("button", { name: /^Model: / }).click();
  await expect(page.getByRole("option", { name: /fake-chat-1/ })).toBeVisible();
  await expectAccessible(page);
});
