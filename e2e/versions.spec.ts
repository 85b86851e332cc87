import { authorize } from "./support/accounts";
import { callApi, mockTool, runTool } from "./support/api";
import { expect, test } from "./support/fixtures";
import { addServer, getServer, open, scripted } from "./support/servers";
import { shareToolroom } from "./support/toolroom";

const toolroom = shareToolroom();

test("an earlier version of a tool is compared and restored, and a call says which version it ran", async ({
  page,
}) => {
  const { url } = toolroom;
  const parameters = (...required: string[]) => ({
    type: "object",
    properties: { city: { type: "string" }, units: { type: "string" } },
    required,
  });
  await callApi(url, "tools.create", { definition: mockTool("forecast", parameters("city")) });
  const { id } = await runTool(url, "forecast", { city: "Oslo" });
  const definitionText = mockTool("forecast", parameters("city", "units"));
  await callApi(url, "tools.update", { name: "forecast", definition: definitionText });

  await open(page, `${url}/executions/${id}?tab=definition`);
  await page.getByRole("tabpanel").getByRole("link", { name: "Version 1" }).click();
  await expect(page).toHaveURL(`${url}/tools/forecast?tab=versions&version=1`);
  const list = page.getByRole("group", { name: "Versions", exact: true });
  await expect(list.getByRole("button", { name: /Version 1/ })).toContainText("1 call");
  await list.getByRole("button", { name: /Version 2/ }).click();
  const second = page.getByRole("group", { name: "Version 2", exact: true });
  await expect(second.getByText("parameter 'units' is now required")).toBeVisible();
  await expect(second.getByRole("button", { name: "Restore" })).toBeDisabled();

  await list.getByRole("button", { name: /Version 1/ }).click();
  const first = page.getByRole("group", { name: "Version 1", exact: true });
  await first.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
  await expect(list.getByRole("button", { name: /Version 3/ })).toContainText("Restored from version 1");
  expect(await runTool(url, "forecast", { city: "Oslo" })).toMatchObject({ status: "succeeded" });
});

test("a tool that its server changes is refused until a user approves the change, and open tabs follow", async ({
  page,
  context,
}) => {
  const { url } = toolroom;
  await addServer(url, { ...scripted("evolving"), changedTools: "review" });
  await expect.poll(async () => (await getServer(url, "evolving")).toolCount).toBe(3);
  const tool = await context.newPage();
  await open(tool, `${url}/tools/evolving__read`);
  await runTool(url, "evolving__read", { path: "/" });
  await open(page, `${url}/servers/evolving`);
  await runTool(url, "evolving__evolve", {});

  await expect(page.getByText("3 changed tools to review")).toBeVisible();
  await expect(page.getByText(/1 of 1 recent call would break: page became required/)).toBeVisible();
  await page.getByRole("link", { name: "Review changes" }).click();
  await expect(page).toHaveURL(`${url}/servers/evolving/changes`);
  const review = page.getByRole("main");
  const change = review.getByRole("region", { name: "Change of read" });
  await expect(change.getByText("1 of 1 recent call would now be rejected: page became required.")).toBeVisible();
  await expect(change.getByRole("link", { name: "Local owner" })).toBeVisible();
  await expect(tool.getByRole("note")).toHaveText(
    "Changed by its server. Calls are refused until it is approved. Review changes",
  );
  expect(await runTool(url, "evolving__read", { path: "/" })).toMatchObject({ status: "failed" });
  const listed = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...STATELESS,
      ...authorize(url),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: META } }),
  });
  expect(await listed.text()).toMatch(/evolving__read(?!.*evolving__arrived)/s);

  await review.getByRole("button", { name: /^Keep blocking calls.*arrived$/ }).click();
  await expect(review.getByText("blocked by Local owner")).toBeVisible();
  await review.getByRole("button", { name: /^Approve removal.*leaving$/ }).click();
  await expect(review.getByRole("region", { name: "Change of leaving" })).toHaveCount(0);
  await change.getByRole("link", { name: "Show this call in Executions" }).click();
  await expect(page.locator("[data-execution]")).toHaveCount(1);
  await page.goBack();
  await review.getByRole("button", { name: "Compare definitions of read" }).click();
  await expect(review.getByRole("region", { name: "Definition compared" })).toContainText('"page"');
  await review.getByRole("button", { name: "Approve the change of read" }).click();
  await expect(review.getByText("Every change is decided")).toBeVisible();
  await expect(change).toHaveCount(0);
  await expect(tool.getByRole("note")).toHaveCount(0);
  expect(await runTool(url, "evolving__read", { path: "/", page: 1 })).toMatchObject({ status: "succeeded" });
});

const VERSION = "2026-07-28";
const STATELESS = { "mcp-protocol-version": VERSION, "mcp-method": "tools/list" };
const META = {
  "io.modelcontextprotocol/protocolVersion": VERSION,
  "io.modelcontextprotocol/clientInfo": { name: "journey", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
