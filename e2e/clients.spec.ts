import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";
import { shareToolroom } from "./support/toolroom";

/** The clients send no token. */
const WITHOUT_ACCOUNTS = { TOOLROOM_AUTH: "off" };
const toolroom = shareToolroom({ serverOptions: () => ({ env: WITHOUT_ACCOUNTS }) });

/** What an MCP client of the 2025 protocols sends. */
async function connectClient(url: string): Promise<void> {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const send = (body: object) =>
    fetch(`${url}/mcp`, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...body }) });
  const clientInfo = { name: "journey-client", version: "3.1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const response = await send({ id: 1, method: "initialize", params });
  headers["mcp-session-id"] = response.headers.get("mcp-session-id") ?? "";
  await response.text();
  await (await send({ method: "notifications/initialized" })).text();
  await (await send({ id: 2, method: "tools/list", params: {} })).text();
}

test("the page of a client says what it was given, and why it does not see a tool that was disabled or never existed", async ({
  page,
}) => {
  const { url } = toolroom;
  await connectClient(url);
  await page.goto(`${url}/clients`);
  await page.getByRole("link", { name: "journey-client" }).click();
  await expect(page.getByRole("list", { name: "Tools of the list" })).toContainText("get_weather");
  const question = page.getByRole("region", { name: "Why a tool is missing" });
  const ask = async (tool: string): Promise<void> => {
    await question.getByLabel("Tool").fill(tool);
    await question.getByRole("button", { name: "Explain" }).click();
  };
  await ask("get_weather");
  await expect(question.getByRole("status")).toContainText("The client was given this tool with its last list");
  await page.request.patch(`${url}/api/v1/tools/get_weather`, { data: { enabled: false } });
  await page.reload();
  await expect(question.getByRole("status")).toContainText("The tool is disabled");
  await expect(page.getByRole("region", { name: "Changed since" })).toContainText("get_weather");
  await ask("get_wether");
  await expect(question.getByRole("list", { name: "Similar names" })).toContainText("get_weather");
  await expectAccessible(page);
});

test("a registry that an admin makes public is read from another origin, and no longer once it is off", async ({
  page,
}) => {
  const { url } = toolroom;
  const read = () => page.request.get(`${url}/v0.1/servers`, { headers: { origin: "https://ide.example.com" } });
  expect((await read()).status()).toBe(403);
  await page.goto(`${url}/settings/registry`);
  const choose = async (access: string): Promise<void> => {
    await page.getByRole("region", { name: "Team registry" }).getByRole("button", { name: "Change" }).click();
    const dialog = page.getByRole("dialog", { name: "Team registry" });
    await dialog.getByLabel("Who may read it").selectOption(access);
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog).toBeHidden();
  };
  await choose("public");
  const response = await read();
  expect([response.status(), response.headers()["access-control-allow-origin"]]).toEqual([200, "*"]);
  expect((await response.json()).servers[0].server.remotes[0].url).toBe(`${url}/mcp`);
  await expectAccessible(page);
  await choose("off");
  expect((await read()).status()).toBe(403);
});

test("an approval link opens on a phone without the console, decides by its button alone, and works once", async ({
  page,
  allowProblems,
  startServer,
}) => {
  // The second use is refused.
  allowProblems(/api\/approval-link/);
  let body = "";
  const receiver = createServer((request, response) => {
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  try {
    const { url } = await startServer({ env: { ...WITHOUT_ACCOUNTS, TOOLROOM_PUBLIC_URL: "http://127.0.0.1" } });
    const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const data = { url: hook, events: ["approval.requested"], approverId: "local-owner" };
    expect((await page.request.post(`${url}/api/v1/webhooks`, { data })).status()).toBe(201);
    const call = { arguments: { report: "q3" }, waitMs: 100 };
    const made = await page.request.post(`${url}/api/v1/tools/delete_report/execute`, { data: call });
    const { id } = await made.json();
    const getStatus = async () => (await (await page.request.get(`${url}/api/v1/executions/${id}`)).json()).status;
    await expect.poll(() => body).toContain("/approve#");
    const link = `${url}/approve#${JSON.parse(body).data.approve.split("#")[1]}`;
    await page.setViewportSize({ width: 375, height: 812 });
    await page.goto(link);
    await expect(page.getByText("delete_report")).toBeVisible();
    await expect(page.getByRole("navigation")).toHaveCount(0);
    await expectAccessible(page);
    expect(await getStatus()).toBe("waiting");
    await page.getByRole("button", { name: "Approve" }).click();
    await expect(page.getByRole("heading", { name: "Approved" })).toBeVisible();
    await expect.poll(getStatus).toBe("succeeded");
    await page.reload();
    await expect(page.getByText("This link was used before")).toBeVisible();
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
});
