import { expect, type Page } from "@playwright/test";
import type { ApprovalItem } from "../src/lib/contract/approval";
import { callApi, runTool } from "./support/api";
import { expectAccessible } from "./support/axe";
import { test } from "./support/fixtures";
import { GATEWAY_CLIENTS } from "./support/gateway-clients";
import { button, expectStatus, locateCall, readRunId, say, turn } from "./support/playground";
import { createPurge, getExecution, getRun, listExecutions, startRun, whenAsked, whenRun } from "./support/runs";
import { open } from "./support/servers";
import { shareToolroom } from "./support/toolroom";

// A tool for each journey: what one leaves in the inbox is not another's.
const TOOLS = [
  "purge_edited",
  "purge_refused",
  "purge_console",
  "purge_here",
  "purge_gateway",
  "purge_withdrawn",
  "purge_raced",
  "purge_keys",
  "purge_seen",
] as const;
const toolroom = shareToolroom({
  async prepare(url) {
    for (const name of TOOLS) await createPurge(url, name);
  },
});

const getApproval = (page: Page, tool: string) =>
  page.getByRole("article", { name: `Approval of ${tool}`, exact: true });
const waitingRow = (page: Page, tool: string) =>
  page.getByRole("region", { name: "Pending approvals" }).getByRole("button").filter({ hasText: tool });

/** Opens the inbox and chooses the call of this tool. */
async function openInbox(page: Page, url: string, tool: string): Promise<void> {
  await open(page, `${url}/approvals`);
  await waitingRow(page, tool).click();
  await expect(getApproval(page, tool)).toBeVisible();
}

test("AGT-05 a call that asks is edited and approved in another tab, the first tab continues, and the execution shows who changed what", async ({
  page,
  context,
}) => {
  const { url } = toolroom;
  await open(page, `${url}/playground`);
  await say(page, 'purge_edited {"folder":"old","keep":3}');
  const call = locateCall(turn(page, 1), "purge_edited");
  await expectStatus(call, "waiting");
  await expectStatus(getApproval(page, "purge_edited"), "open");
  const runId = await readRunId(page);
  await whenRun(url, runId, "waiting");

  const inbox = await context.newPage();
  await openInbox(inbox, url, "purge_edited");
  await expect(inbox).toHaveTitle(/^Approvals \(1\)/);
  const card = getApproval(inbox, "purge_edited");
  await button(card, "Edit arguments").click();
  await card.getByLabel("keep", { exact: true }).fill("-1");
  // Arguments that do not fit are refused before anything runs.
  await expect(button(card, /^Approve with changes/)).toHaveAttribute("aria-disabled", "true");
  await card.getByLabel("keep", { exact: true }).fill("1");
  await expect(card.getByLabel("Your changes")).toBeVisible();
  await expect(button(card, /^Approve with changes/)).not.toHaveAttribute("aria-disabled", "true");
  await button(card, /^Approve with changes/).click();
  await expectStatus(card, "approved");
  await expect(card).toContainText("Approved by");

  await expectStatus(call, "succeeded");
  await expectStatus(turn(page, 1), "succeeded");
  await expect(turn(page, 1)).toContainText('"keep":1');
  await expect(getApproval(page, "purge_edited")).toContainText("with changed arguments");

  const [execution] = await listExecutions(url, runId);
  const ran = await getExecution(url, execution?.id ?? "");
  expect(JSON.parse(ran.resultText ?? "")).toEqual({ echo: { folder: "old", keep: 1 } });
  expect(ran.approval).toMatchObject({ status: "approved", decidedBy: { name: "Local owner" } });
  expect(JSON.parse(ran.approval?.requestedArgumentsText ?? "")).toEqual({ folder: "old", keep: 3 });
  await page.goto(`${url}/executions/${ran.id}`);
  const outcome = page.getByRole("main");
  await expect(outcome).toContainText("Approved by Local owner");
  await expect(outcome).toContainText("with changed arguments");
  const diff = outcome.getByLabel("Requested and executed arguments");
  await expect(diff).toContainText("3");
  await expect(diff).toContainText("1");
});

test("AGT-05 a rejection and its reason reach the model, and nothing runs", async ({ page, context }) => {
  const { url } = toolroom;
  await open(page, `${url}/playground`);
  await say(page, 'purge_refused {"folder":"old"}');
  const call = locateCall(turn(page, 1), "purge_refused");
  await expectStatus(call, "waiting");

  const inbox = await context.newPage();
  await openInbox(inbox, url, "purge_refused");
  const card = getApproval(inbox, "purge_refused");
  await button(card, "Reject…").click();
  await card.getByRole("textbox", { name: /^Reason/ }).fill("Audit wants these files");
  await button(card, "Reject").click();
  await expectStatus(card, "rejected");

  await expectStatus(call, "cancelled");
  await expect(call).toContainText("rejected");
  await expectStatus(turn(page, 1), "succeeded");
  await expect(turn(page, 1)).toContainText("was rejected.");
  await expect(turn(page, 1)).toContainText("Audit wants these files");
  const runId = await readRunId(page);
  const { events } = await getRun(url, runId);
  const told = events.find((event) => event.type === "tool_finished");
  expect(told?.result.exception).toMatchObject({ kind: "rejected" });
  expect(told?.result.exception?.message).toContain("Audit wants these files");
  const [execution] = await listExecutions(url, runId);
  const kept = await getExecution(url, execution?.id ?? "");
  expect(kept.resultText).toBeNull();

  await inbox.getByRole("tab", { name: "Decided" }).click();
  const decided = inbox.getByRole("region", { name: "Decided calls" }).getByRole("button");
  await expect(decided.filter({ hasText: "purge_refused" })).toContainText("by Local owner: Audit wants these files");
});

test("AGT-05 a run from a tool's page waits with the question in its place, and is approved there", async ({
  page,
}) => {
  const { url } = toolroom;
  await open(page, `${url}/tools/purge_console`);
  await page.getByLabel("folder", { exact: true }).fill("tmp");
  await button(page, /^Run (⌘|Ctrl\+)↵$/).click();
  const result = page.getByRole("region", { name: "Result", exact: true });
  await expect(result.locator('[data-status="waiting"]').first()).toBeVisible();
  await button(getApproval(page, "purge_console"), "Approve").click();
  await expect(result.locator('[data-status="succeeded"]').first()).toBeVisible();
  await expect(result).toContainText("tmp");
});

test("AGT-05 a waiting call is approved in its own card, and the sidebar counts it until then", async ({ page }) => {
  const { url } = toolroom;
  await open(page, `${url}/playground`);
  await say(page, 'purge_here {"folder":"here"} and what is 4*4');
  // The other call of the answer does not wait for it.
  await expectStatus(locateCall(turn(page, 1), "calculator"), "succeeded");
  await expectStatus(locateCall(turn(page, 1), "purge_here"), "waiting");
  await expect(
    page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^Approvals\D*1/ }),
  ).toBeVisible();
  await button(getApproval(page, "purge_here"), "Approve").click();
  await expectStatus(locateCall(turn(page, 1), "purge_here"), "succeeded");
  await expectStatus(turn(page, 1), "succeeded");
  await expect(turn(page, 1)).toContainText("16");
  await expect(
    page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^Approvals\D*1/ }),
  ).toHaveCount(0);
});

for (const { name, about, connect } of GATEWAY_CLIENTS) {
  test(`AGT-05 EXE-06 a call of ${about} waits for the console, gets its result when approved, and a clear refusal when not`, async ({
    page,
  }) => {
    const { url } = toolroom;
    const client = await connect(`${url}/mcp`);
    try {
      await open(page, `${url}/approvals`);
      const approved = client.call("purge_gateway", { folder: `of ${name}`, keep: 2 });
      await waitingRow(page, "purge_gateway").click();
      const card = getApproval(page, "purge_gateway");
      await expect(card).toContainText(`gateway · ${name}/1.0.0`);
      await expect(card).toContainText(`of ${name}`);
      await button(card, "Approve").click();
      const answer = await approved;
      expect(answer.isError ?? false).toBe(false);
      expect(JSON.stringify(answer.content)).toContain(`of ${name}`);

      const rejected = client.call("purge_gateway", { folder: "never" });
      const asked = await whenAsked(url, "purge_gateway");
      await page.goto(`${url}/approvals?id=${asked.executionId}`);
      await button(card, "Reject…").click();
      await card.getByRole("textbox", { name: /^Reason/ }).fill("Not today");
      await button(card, "Reject").click();
      const refusal = await rejected;
      expect(refusal.isError).toBe(true);
      expect(JSON.stringify(refusal.content)).toContain("Not today");
      expect((await getExecution(url, asked.executionId)).resultText).toBeNull();
    } finally {
      await client.close();
    }
  });
}

test("AGT-05 the first of two decisions wins, and the other user sees that it was too late", async ({
  page,
  context,
}) => {
  const { url } = toolroom;
  const runId = await startRun(url, 'purge_raced {"folder":"race"}');
  const { executionId } = await whenAsked(url, "purge_raced");
  const other = await context.newPage();
  for (const tab of [page, other]) {
    await open(tab, `${url}/approvals?id=${executionId}`);
    await expectStatus(getApproval(tab, "purge_raced"), "open");
  }
  await button(getApproval(other, "purge_raced"), "Reject…").click();
  await button(getApproval(page, "purge_raced"), "Approve").click();
  await expectStatus(getApproval(page, "purge_raced"), "approved");
  await expectStatus(getApproval(other, "purge_raced"), "approved");
  await expect(getApproval(other, "purge_raced")).toContainText("decided this call");
  await whenRun(url, runId, "succeeded");
  const late = await callApi<{ decided: boolean; status: string }>(url, "approvals.decide", {
    executionId,
    decision: { approved: false },
  });
  expect(late).toMatchObject({ decided: false, status: "approved" });
  expect((await listExecutions(url, runId)).map(({ status }) => status)).toEqual(["succeeded"]);
});

test("AGT-05 the inbox by keyboard: choose, reject with a reason", async ({ page }) => {
  const { url } = toolroom;
  const runId = await startRun(url, 'purge_keys {"folder":"keys"}');
  await whenAsked(url, "purge_keys");
  await open(page, `${url}/approvals`);
  await page.keyboard.press("j");
  await expect(waitingRow(page, "purge_keys")).toBeFocused();
  await page.keyboard.press("Enter");
  const card = getApproval(page, "purge_keys");
  await expect(card).toBeVisible();
  await page.keyboard.press("r");
  await expect(card.getByRole("textbox", { name: /^Reason/ })).toBeFocused();
  await page.keyboard.type("By hand");
  await page.keyboard.press("Control+Enter");
  await expectStatus(card, "rejected");
  await expect(card).toBeFocused();
  await whenRun(url, runId, "succeeded");
  const item = await callApi<ApprovalItem>(
    url,
    "approvals.get",
    { executionId: (await listExecutions(url, runId))[0]?.id },
    "GET",
  );
  expect(item.reason).toBe("By hand");
});

test("axe finds nothing in the inbox, while arguments are edited and a reason is written", async ({ page }) => {
  const { url } = toolroom;
  const tool = "purge_seen";
  const waiting = await runTool(url, tool, { folder: "seen" }, { waitMs: 50 });
  expect(waiting.status).toBe("waiting");
  await openInbox(page, url, tool);
  await expectAccessible(page);
  const card = getApproval(page, tool);
  await button(card, "Edit arguments").click();
  await card.getByLabel("folder", { exact: true }).fill("edited");
  await expect(card.getByLabel("Your changes")).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 375, height: 740 });
  const overflow = () =>
    page.evaluate(() =>
      Math.max(
        ...[document.documentElement, ...document.querySelectorAll("main")].map(
          ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth,
        ),
      ),
    );
  expect(await overflow()).toBeLessThanOrEqual(0);
  await button(card, "Discard changes").click();
  await button(card, "Reject…").click();
  await expectAccessible(page);
  expect(await overflow()).toBeLessThanOrEqual(0);
  await button(card, "Reject").click();
  await expectStatus(card, "rejected");
  await expectAccessible(page);
});
