import type { Page } from "@playwright/test";
import type { TranscriptDetail, TranscriptQuery, TranscriptSettingsInput } from "../src/lib/contract/transcript";
import { authorize } from "./support/accounts";
import { callApi } from "./support/api";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";
import { button, expectStatus, locateCall, turn } from "./support/playground";
import { createPurge, DEMO, listExecutions } from "./support/runs";
import { open } from "./support/servers";
import { shareToolroom } from "./support/toolroom";

const toolroom = shareToolroom({ prepare: (url) => createPurge(url, "purge_spoken") });

/** The answers of a transcript, as a program receives them. `after`: the id of the last one it has. */
async function subscribe(url: string, id: string, after: string | null) {
  const input = encodeURIComponent(JSON.stringify({ json: { id, lastEventId: after } }));
  const end = new AbortController();
  const address = `${url}/api/trpc/transcripts.answers?input=${input}`;
  const response = await fetch(address, { headers: authorize(url), signal: end.signal });
  expect(response.status).toBe(200);
  let text = "";
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk as Uint8Array, { stream: true });
  })().catch(() => undefined);
  const answers = () =>
    [...text.matchAll(/^data: (.*)$/gm)].flatMap(([, data]) => {
      const { json } = JSON.parse(data ?? "{}") as { json?: TranscriptQuery };
      return json?.answer == null ? [] : [json];
    });
  return { answers, close: () => end.abort() };
}

function create(
  url: string,
  settings: Partial<TranscriptSettingsInput> & { title: string },
): Promise<TranscriptDetail> {
  return callApi(url, "transcripts.create", { settings: { ...DEMO, silenceMs: 300, ...settings } });
}

const say = (url: string, id: string, ...segments: object[]) => callApi(url, "transcripts.append", { id, segments });
const query = (page: Page, position: number) => page.getByRole("listitem", { name: `Query ${position}`, exact: true });

test("AGT-13 a query whose wake phrase is cut in two is answered with a tool: on the page and to a subscriber", async ({
  page,
}) => {
  const { url } = toolroom;
  await open(page, `${url}/runs/transcripts`);
  await page.getByRole("link", { name: "New transcript" }).click();
  const dialog = page.getByRole("dialog", { name: "New transcript" });
  await dialog.getByLabel("Title").fill("Standup");
  await dialog.getByLabel("Silence that ends a query, in seconds").fill("0.3");
  await button(dialog, "Create transcript").click();
  await expect(page).toHaveURL(/\/runs\/transcripts\/(?!\?)[\w-]+$/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Standup");
  await expect(page.getByText("live", { exact: true })).toBeVisible();
  const id = page.url().split("/").at(-1) ?? "";
  const { answers, close } = await subscribe(url, id, null);
  try {
    await say(url, id, { text: "Let us begin. Hey tool", speaker: "Ana", atMs: 0 });
    await say(url, id, { text: "room, what is 12*7?", speaker: "Ana", atMs: 900 });
    await expect(query(page, 1)).toContainText("what is 12*7");
    await expect(query(page, 1).locator('[data-status="succeeded"]')).toBeVisible();
    await expect(query(page, 1)).toContainText("84");
    await expect.poll(() => answers().length).toBe(1);
    expect(answers()[0]).toMatchObject({ text: expect.stringContaining("what is 12*7") });
    expect(answers()[0]?.answer).toContain("84");

    await say(url, id, { text: "Thanks. OK Tool", speaker: "Ben", atMs: 9000 }, { text: "room weather in Oslo." });
    await expect(query(page, 2).locator('[data-status="succeeded"]')).toBeVisible();
    await expect(query(page, 2)).toContainText("sunny");
    await expect.poll(() => answers().length).toBe(2);
    const text = page.getByRole("list", { name: "Transcript text" });
    await expect(text).toContainText("Let us begin.");
    await expect(text.locator("mark").first()).toBeVisible();

    await query(page, 1).getByRole("link", { name: "Run of query 1" }).click();
    await expect(page).toHaveURL(/\/runs\/run_/);
    await expectStatus(locateCall(turn(page, 1), "calculator"), "succeeded");
    expect((await listExecutions(url, page.url().split("/").at(-1) ?? "")).map(({ toolName }) => toolName)).toEqual([
      "calculator",
    ]);
    await page.getByRole("link", { name: "Transcript", exact: true }).click();
    await expect(page).toHaveURL(`${url}/runs/transcripts/${id}`);
  } finally {
    close();
  }
});

test("AGT-13 a subscriber that comes late receives the answers it missed, and unusable segments and settings are named", async () => {
  const { url } = toolroom;
  const { id } = await create(url, { title: "Late" });
  await say(url, id, { text: "Hey toolroom, what is 6*6?" });
  const answered = async () => {
    const { queries } = await callApi<TranscriptDetail>(url, "transcripts.get", { id }, "GET");
    return queries[0]?.answer ?? "";
  };
  await expect.poll(answered, { timeout: 15_000 }).toContain("36");
  const late = await subscribe(url, id, "0");
  try {
    await expect.poll(() => late.answers().length).toBe(1);
    expect(late.answers()[0]?.answer).toContain("36");
  } finally {
    late.close();
  }
  await expect(say(url, id, { text: 7 })).rejects.toThrow(/text/);
  const settings = { ...DEMO, title: "Told", webhookUrl: "https://example.org/answers" };
  await expect(callApi(url, "transcripts.create", { settings })).rejects.toThrow(/webhookUrl/);
});

test("AGT-13 AGT-05 a spoken query whose tool asks waits for a person, and is answered once that one said yes", async ({
  page,
}) => {
  const { url } = toolroom;
  const { id } = await create(url, { title: "Spoken purge" });
  await open(page, `${url}/runs/transcripts/${id}`);
  await page.getByRole("textbox", { name: "Speaker" }).fill("Cem");
  await page.getByRole("textbox", { name: "Line" }).fill("hey toolroom purge_spoken folder=attic");
  await button(page, "Add line").click();
  await expect(query(page, 1).locator('[data-status="waiting"]')).toBeVisible();
  await query(page, 1).getByRole("link", { name: "all approvals" }).click();
  const card = page.getByRole("article", { name: "Approval of purge_spoken" });
  await expect(card).toContainText("attic");
  await button(card, "Approve").click();
  await expectStatus(card, "approved");
  await page.goto(`${url}/runs/transcripts/${id}`);
  await expect(query(page, 1).locator('[data-status="succeeded"]')).toBeVisible();
  await expect(query(page, 1)).toContainText("attic");
});

test("axe finds nothing in a transcript with answers, nor in the form of a new one", async ({ page }) => {
  const { url } = toolroom;
  const { id } = await create(url, { title: "Looked at" });
  await open(page, `${url}/runs/transcripts/${id}`);
  await expectAccessible(page);
  await say(url, id, { text: "Well. Hey toolroom, what is 7*7?", speaker: "Dora", atMs: 61_000 });
  await expect(query(page, 1).locator('[data-status="succeeded"]')).toBeVisible();
  await expect(query(page, 1)).toContainText("49");
  await expectAccessible(page);
  await page.goto(`${url}/runs/transcripts?new=1`);
  const dialog = page.getByRole("dialog", { name: "New transcript" });
  await dialog.getByLabel("Wake phrases").fill("");
  await button(dialog, "Create transcript").click();
  await expect(dialog.locator('[aria-invalid="true"]').first()).toBeVisible();
  await expectAccessible(page);
});
