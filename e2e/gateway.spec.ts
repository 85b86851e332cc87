import { spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { ClientConfigurations } from "../src/lib/contract/client-configuration";
import { authorize, getApiToken } from "./support/accounts";
import { callApi } from "./support/api";
import { addFilter } from "./support/filters";
import { expect, test } from "./support/fixtures";
import { GATEWAY_CLIENTS } from "./support/gateway-clients";
import { addServer, EVERYTHING, open } from "./support/servers";
import { shareToolroom } from "./support/toolroom";

const toolroom = shareToolroom({ prepare: (url) => addServer(url, EVERYTHING) });

const LONG = "everything__trigger-long-running-operation";

for (const { name, about, connect } of GATEWAY_CLIENTS) {
  test(`EXE-05 EXE-06 ${about} lists the catalog, calls, cancels, and its calls appear in the open execution list`, async ({
    page,
  }) => {
    await open(page, `${toolroom.url}/executions`);
    const client = await connect(`${toolroom.url}/mcp`);
    try {
      const names = await client.listNames();
      expect(names).toEqual(expect.arrayContaining(["get_weather", "everything__echo", LONG]));

      const mine = page.getByRole("row").filter({ hasText: `gateway · ${name}/1.0.0` });
      const answer = await client.call("everything__echo", { message: `from ${name}` });
      expect(answer.content).toEqual([{ type: "text", text: `Echo: from ${name}` }]);
      const echoed = mine.filter({ hasText: `from ${name}` });
      await expect(echoed).toContainText("everything__echo");
      await expect(echoed.locator('[data-status="succeeded"]')).toBeVisible();

      const controller = new AbortController();
      const given = client.call(LONG, { duration: 60, steps: 60 }, controller.signal);
      const outcome = given.then(
        () => "answered",
        () => "given up",
      );
      const long = mine.filter({ hasText: LONG });
      await expect(long.locator('[data-status="running"]')).toBeVisible();
      controller.abort();
      expect(await outcome).toBe("given up");
      await expect(long.locator('[data-status="cancelled"]')).toBeVisible();

      const refusal = await client.call("everything__no-such-tool", {}).catch((error: unknown) => error);
      expect(refusal).toMatchObject({ code: -32602 });
      expect(String(refusal)).toContain("everything__no-such-tool");
    } finally {
      await client.close();
    }
  });
}

test("one server's tools can be had alone, under the server's own names", async () => {
  const client = await GATEWAY_CLIENTS[0]?.connect(`${toolroom.url}/mcp/everything?names=plain`);
  try {
    const names = (await client?.listNames()) ?? [];
    expect(names).toContain("echo");
    expect(names).not.toContain("get_weather");
    const answer = await client?.call("echo", { message: "plain" });
    expect(answer?.content).toEqual([{ type: "text", text: "Echo: plain" }]);
  } finally {
    await client?.close();
  }
});

test("a resource that a client reads is recorded as one, found by its kind and read again by a replay", async ({
  page,
}) => {
  const uri = "demo://resource/static/document/features.md";
  await open(page, `${toolroom.url}/executions`);
  const client = await GATEWAY_CLIENTS[2]?.connect(`${toolroom.url}/mcp`);
  const text = String(await client?.read(uri));
  await client?.close();
  const [heading = ""] = text.split("\n");
  await addFilter(page, "Kind");
  await page.getByRole("checkbox", { name: "Resource", exact: true }).click();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/kind=resource/);
  const row = page.getByRole("row").filter({ hasText: uri });
  await expect(row).toHaveCount(1);
  await expect(row.getByRole("img", { name: "Resource", exact: true })).toBeVisible();
  await row.getByRole("link", { name: new RegExp(`^${uri}`) }).press("Enter");
  await expect(page.getByRole("heading", { name: uri })).toBeVisible();
  await expect(page.getByRole("main")).toContainText("resource of everything");
  await expect(page.getByRole("tab", { name: "Edit and replay" })).toHaveCount(0);
  await expect(page.getByRole("main")).toContainText(heading.replace(/^#+\s*/, ""));
  await page.getByRole("button", { name: "Replay", exact: true }).click();
  await expect(page.getByRole("main")).toContainText("replay of");
  await expect(page.getByRole("main").locator('[data-status="succeeded"]').first()).toBeVisible();
  await expect(page.getByRole("heading", { name: uri })).toBeVisible();
});

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1.0.0" } },
};

/** fetch would not let a test forge Host or Origin. */
function getStatus(url: string, headers: http.OutgoingHttpHeaders): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers };
    const request = http.request(url, { method: "POST", headers: sent }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", reject);
    request.end(JSON.stringify(INITIALIZE));
  });
}

test("ERR-03 the gateway refuses a foreign Origin and a foreign Host", async () => {
  const known = { host: new URL(toolroom.url).host, ...authorize(toolroom.url) };
  const url = `${toolroom.url}/mcp`;
  expect(await getStatus(url, known)).toBe(200);
  expect(await getStatus(url, { ...known, origin: toolroom.url })).toBe(200);
  expect(await getStatus(url, { ...known, origin: "https://evil.example" })).toBe(403);
  expect(await getStatus(url, { ...known, host: "evil.example" })).toBe(403);
});

interface Answer {
  jsonrpc: string;
  id?: number;
  method?: string;
  result?: { tools?: { name: string }[]; content?: unknown };
}

test("MCP-01 `npm run -s mcp` writes only protocol messages to stdout and shares the running server's executions", async ({
  page,
}) => {
  await open(page, `${toolroom.url}/executions`);
  const child = spawn("npm", ["run", "-s", "mcp"], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...process.env, TOOLROOM_URL: toolroom.url, TOOLROOM_API_TOKEN: getApiToken(toolroom.url) },
  });
  const ended = once(child, "exit");
  try {
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
    const answers = () => lines.map((line) => JSON.parse(line) as Answer);
    const answerTo = async (id: number): Promise<Answer | undefined> => {
      const find = () => answers().find((answer) => answer.id === id && answer.method === undefined);
      await expect.poll(find, { timeout: 15_000, message: `an answer to ${id}` }).toBeDefined();
      return find();
    };
    const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

    send(INITIALIZE);
    await answerTo(1);
    send({ method: "notifications/initialized" });
    send({ id: 2, method: "tools/list" });
    const names = (await answerTo(2))?.result?.tools?.map((tool) => tool.name) ?? [];
    expect(names).toEqual(expect.arrayContaining(["get_weather", "everything__echo"]));
    send({ id: 3, method: "tools/call", params: { name: "everything__echo", arguments: { message: "over stdio" } } });
    expect((await answerTo(3))?.result?.content).toEqual([{ type: "text", text: "Echo: over stdio" }]);

    const row = page.getByRole("row").filter({ hasText: "over stdio" });
    await expect(row).toContainText("gateway · raw/1.0.0");
    await expect(row.locator('[data-status="succeeded"]')).toBeVisible();
    child.stdin.end();
    await ended;
    expect(answers().every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
    expect(child.exitCode).toBe(0);
  } finally {
    child.kill();
  }
});

test("every client's configuration is copied with the right address, for the catalog and for one server, and its first call shows", async ({
  page,
  context,
}) => {
  const { url } = toolroom;
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.clock.install();
  const old = await page.request.get(`${url}/servers?connect=1`, { maxRedirects: 0 });
  expect(old.headers().location).toBe("/clients?connect=1#connect");
  const renamed = await page.request.get(`${url}/connect?server=everything`, { maxRedirects: 0 });
  expect(renamed.headers().location).toBe("/clients?server=everything#connect");
  const jobs = await page.request.get(`${url}/settings/jobs`, { maxRedirects: 0 });
  expect(jobs.headers().location).toBe("/settings/storage#background-jobs");
  const check = await page.request.get(`${url}/settings/models/checks/chk_1`, { maxRedirects: 0 });
  expect(check.headers().location).toBe("/suites/runs/chk_1");
  await open(page, `${url}/servers`);
  await page.getByRole("link", { name: "Clients", exact: true }).click();
  const { items: offered, wrap } = await callApi<ClientConfigurations>(
    ...([url, "servers.clientConfigurations", { origin: url }, "GET"] as const),
  );
  await page.getByRole("button", { name: "Show all" }).click();
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole("button", { name: "Copy the command that moves servers" }).click();
  await expect.poll(clipboard).toBe(wrap);
  const choose = (transport: string) =>
    page.getByRole("radio", { name: transport === "http" ? "HTTP" : "stdio", exact: true }).check();
  for (const transport of ["stdio", "http"]) {
    await choose(transport);
    for (const { label, text, install } of offered.filter((each) => each.transport === transport)) {
      const card = page.getByRole("region", { name: label, exact: true });
      await card.getByRole("button", { name: `Copy for ${label}` }).click();
      await expect.poll(clipboard).toBe(text);
      const links = await card
        .getByRole("link", { name: `Add to ${label}` })
        .evaluateAll((all) => all.map((link) => link.getAttribute("href")));
      expect(links).toEqual(install === null ? [] : [install]);
    }
  }
  // Its icon changes back between press and release, which is a click all the same.
  const copy = page.getByRole("button", { name: "Copy for Cursor" });
  await page.clock.pauseAt(Date.now() + 60_000);
  await copy.click();
  await expect(copy).toContainText("Copied");
  await copy.hover();
  await page.mouse.down();
  await page.clock.runFor(1_500);
  await expect(copy).not.toContainText("Copied");
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await page.mouse.up();
  await expect.poll(clipboard).not.toBe("");
  await page.clock.resume();

  const find = (client: string, transport: string) =>
    offered.find((each) => each.client === client && each.transport === transport)?.text ?? "";
  expect(JSON.parse(find("cursor", "http"))).toMatchObject({ mcpServers: { toolroom: { url: `${url}/mcp` } } });
  const { command, args, env = {} } = JSON.parse(find("claude-desktop", "stdio")).mcpServers.toolroom;
  expect(command).toBe(process.execPath);

  await page.getByLabel("Offer").selectOption("server:everything");
  await expect(page.getByRole("region", { name: "Cursor", exact: true })).toContainText(`${url}/mcp/everything`);
  const goose = page.getByRole("region", { name: "Goose", exact: true });
  await expect(goose).toContainText("Not seen yet");
  const client = await GATEWAY_CLIENTS[0]?.connect(`${url}/mcp/everything`, "goose");
  await expect(goose).toContainText("No call yet");
  await expect(goose.locator('[data-status="succeeded"]')).toHaveCount(0);
  await client?.call("everything__echo", { message: "hello" });
  await expect(goose.locator('[data-status="succeeded"]')).toBeVisible();
  await expect(goose.getByRole("link", { name: "echo" })).toBeVisible();
  await client?.close();

  // A call over HTTP says nothing of the command; one that the command brings does, from any folder.
  await choose("stdio");
  await expect(goose).toContainText("Not seen yet");
  await page.getByLabel("Offer").selectOption("");
  const token = getApiToken(url);
  if (token !== undefined) {
    // Where accounts are on, a token that is created here is in the configurations at once.
    await expect(goose).toContainText("YOUR_API_TOKEN");
    await page.getByRole("button", { name: "Create API token" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("goose");
    await dialog.getByRole("button", { name: "Create token" }).click();
    await dialog.getByRole("button", { name: "Done" }).click();
    await expect(goose).toContainText(/TOOLROOM_API_TOKEN":\s*"trm_/);
  }
  const bridge = new StdioClientTransport({
    command,
    args,
    cwd: tmpdir(),
    stderr: "ignore",
    env: { PATH: process.env.PATH ?? "", ...env, ...(token !== undefined && { TOOLROOM_API_TOKEN: token }) },
  });
  const local = new Client({ name: "goose", version: "1.0.0" });
  await local.connect(bridge);
  await local.callTool({ name: "clock", arguments: {} });
  await expect(goose.locator('[data-status="succeeded"]')).toBeVisible();
  await expect(goose.getByRole("link", { name: "clock" })).toBeVisible();
  await local.close();
});
