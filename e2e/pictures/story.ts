import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, type Page } from "@playwright/test";
import type { Film } from "./film";

const ARGUMENTS = { question: "How do I reset my password?", language: "english" };
/** A page that a reader has to understand stays so long. */
const LOOK_MS = 1_700;
const READ_MS = 3_400;

/** A client of the gateway makes a call whose argument is not one of the allowed values. */
async function makeFailingCall(url: string): Promise<void> {
  const client = new Client({ name: "claude-code", version: "2.1.4" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  await client.callTool({ name: "search_docs", arguments: ARGUMENTS });
  await client.close();
}

/** An agent's call fails; it is opened, edited, replayed, compared with the first one and saved as a test. */
export async function tellStory(page: Page, film: Film, url: string): Promise<void> {
  await page.goto(`${url}/executions`);
  await expect(page.getByText("live", { exact: true })).toBeVisible();
  await expect(page.getByText("failed (right scale)")).toBeVisible();
  film.say("Every tool call of your agents, as it happens");
  await film.hold(READ_MS);

  await makeFailingCall(url);
  const failed = page.getByRole("row").filter({ hasText: "search_docs" }).first();
  await expect(failed).toContainText("invalid");
  await expect(page.getByText("failed (right scale)")).toBeVisible();
  film.say("A call of Claude Code fails");
  await film.hold(LOOK_MS);
  await film.click(failed.getByRole("link", { name: /search_docs/ }));

  const panel = page.getByRole("dialog");
  await expect(panel.getByText("Invalid arguments")).toBeVisible();
  film.say("What was sent, what came back, and why");
  await film.hold(READ_MS);
  await film.click(panel.getByText("Edit and replay", { exact: true }));
  await editAndReplay(page, film);
  await compareAndSave(page, film);
}

async function editAndReplay(page: Page, film: Film): Promise<void> {
  const language = page.getByLabel("language", { exact: true });
  await expect(language).toBeVisible();
  film.say("Edit the arguments, and replay the call");
  await film.hold(LOOK_MS);
  await film.moveTo(language);
  await language.selectOption("en");
  await expect(page.getByText("1 problem")).toHaveCount(0);
  await film.hold(LOOK_MS);
  await film.click(page.getByRole("button", { name: /^Run again/ }));
  const result = page.getByRole("region", { name: "Result" }).last();
  await expect(result.getByText("succeeded").first()).toBeVisible();
  await result.evaluate((element) => element.scrollIntoView({ block: "center" }));
  await film.hold(READ_MS);
}

async function compareAndSave(page: Page, film: Film): Promise<void> {
  await film.click(page.getByRole("link", { name: /Compare/ }).first());
  await expect(page.getByText("1 changed").first()).toBeVisible();
  film.say("Compare the two");
  await film.hold(READ_MS);
  await film.click(
    page
      .getByRole("main")
      .getByRole("link", { name: /^exec_/ })
      .last(),
  );
  await film.click(page.getByRole("button", { name: "Save as test" }));
  const dialog = page.getByRole("dialog", { name: "Save as test" });
  await expect(dialog.getByLabel("Name")).toHaveValue(/search_docs/);
  film.say("Save it as a test, which runs in CI from now on");
  await film.hold(LOOK_MS);
  await film.type(dialog.getByLabel("Suite"), "support");
  await film.click(dialog.getByRole("button", { name: "Save" }));
  await film.click(page.getByRole("button", { name: "Open suite" }));
  await expect(page.getByRole("heading", { name: "support" })).toBeVisible();
  await film.hold(LOOK_MS);
  await film.click(page.getByRole("button", { name: "Run", exact: true }));
  await expect(page).toHaveURL(/\/suites\/runs\//);
  await expect(page.getByText("1 of 1 test passed")).toBeVisible();
  await film.hold(READ_MS);
}
