import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import type { NewWebhook } from "../src/lib/contract/webhook";
import { callApi, mockTool, runTool } from "./support/api";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";

const SLOW = mockTool("make_report", { type: "object", properties: {} });

test("a rule tells what it would have fired, fires, and the bell leads to the calls at once", async ({
  page,
  startServer,
}) => {
  const { url } = await startServer();
  await callApi(url, "tools.create", { definition: SLOW });
  for (let call = 0; call < 3; call += 1) await runTool(url, "make_report", {});
  await page.goto(`${url}/alerts`);
  await expect(page.getByText("No alert rules yet.")).toBeVisible();
  await page.getByRole("button", { name: "Add rule" }).click();
  const dialog = page.getByRole("dialog", { name: "Add alert rule" });
  await dialog.getByRole("button", { name: "Add" }).click();
  await expect(dialog).toContainText("Enter a name");
  await dialog.getByLabel("Name").fill("Reports are slow");
  await dialog.getByLabel("Alert on").selectOption("p95 duration");
  await dialog.getByLabel("p95 duration above (ms)").fill("0.000001");
  await dialog.getByLabel("Applies to").selectOption("One tool");
  await dialog.getByRole("combobox", { name: /^Tool/ }).fill("make_report");
  await dialog.getByLabel("Minimum calls").fill("4");
  await expect(dialog.getByRole("status")).toHaveText("In the last 7 days this rule would have fired 0 times.");
  await dialog.getByLabel("Minimum calls").fill("3");
  await expect(dialog.getByRole("status")).toHaveText("In the last 7 days this rule would have fired 1 time.");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Add" }).click();
  await expect(page.getByRole("list", { name: "Alert rules" })).toContainText("p95 duration above <0.01 ms in 15 min");
  await callApi(url, "jobs.runNow", { kind: "alerts.evaluate" });
  await page.getByRole("button", { name: "Alerts: 1 new one" }).click();
  const notices = page.getByRole("dialog", { name: "Alerts" });
  await expect(notices.getByRole("listitem")).toContainText("Reports are slow");
  await expectAccessible(page);
  await notices.getByRole("link", { name: /^make_report: p95 duration is/ }).click();
  await expect(page).toHaveURL(/\/executions\?.*tool=make_report/);
  await expect(page.getByRole("button", { name: "Alerts", exact: true })).toBeVisible();
  await expect(page.locator("[data-execution]")).toHaveCount(3);
  await page.goto(`${url}/alerts`);
  await expect(page.getByRole("list", { name: "History of alerts" })).toContainText("firing");
  await page.getByRole("button", { name: "Disable" }).click();
  await expect(page.getByRole("list", { name: "History of alerts" })).toContainText("resolved");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("No alert rules yet.")).toBeVisible();
});

test("an alert that fires, and one that is resolved, arrive signed at a webhook that asks for them", async ({
  startServer,
}) => {
  const received: { headers: Record<string, string>; body: string }[] = [];
  const receiver = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    received.push({ headers: request.headers as Record<string, string>, body });
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  try {
    const { url } = await startServer();
    const events = ["alert.fired", "alert.resolved"];
    const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const { secret } = await callApi<NewWebhook>(url, "webhooks.create", { webhook: { url: address, events } });
    await runTool(url, "get_weather", { location: "Oslo" });
    const rule = { name: "Any call", kind: "p95_latency", threshold: 0.000_001, minCalls: 1 };
    const { id } = await callApi<{ id: string }>(url, "alerts.createRule", { rule });
    await callApi(url, "jobs.runNow", { kind: "alerts.evaluate" });
    await expect.poll(() => received.length).toBe(1);
    await callApi(url, "alerts.deleteRule", { id });
    await callApi(url, "jobs.runNow", { kind: "alerts.evaluate" });
    await expect.poll(() => received.length).toBe(2);
    const bodies = received.map(({ body, headers }) => new Webhook(secret).verify(body, headers));
    expect(bodies).toMatchObject(events.map((type) => ({ type, data: { rule: "Any call", tool: null } })));
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
});
