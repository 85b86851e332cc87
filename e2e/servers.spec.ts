import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Locator, Page } from "@playwright/test";
import { callApi, runTool } from "./support/api";
import { runButton } from "./support/arguments-editor";
import { expectAccessible } from "./support/axe";
import { addFilter } from "./support/filters";
import { expect, test } from "./support/fixtures";
import { tabTo } from "./support/keyboard";
import {
  addServer,
  EVERYTHING_COMMAND,
  expectConnection,
  getServer,
  open,
  scripted,
  scriptFile,
  tab,
  toolLink,
} from "./support/servers";
import { shareToolroom } from "./support/toolroom";

const toolroom = shareToolroom();

const result = (page: Page) => page.getByRole("region", { name: "Result", exact: true });

/** Stands for `npx`: says what it is told, and goes on to the next part when the test lets it. */
const RUNNER = `#!${process.execPath}
(async () => {
  const [gate, program] = process.argv.slice(-2);
  process.stderr.write("npm warn deprecated left-pad@1.3.0\\n");
  await fetch(gate + "/downloaded");
  process.stderr.write("Loading the index\\n");
  await fetch(gate + "/started");
  await import(program);
})();
`;

/** Answers each address once the test opens it. */
async function openGate() {
  const waiting = new Map<string, ServerResponse>();
  const server = createServer(({ url = "" }, response) => void waiting.set(url, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async pass(path: string): Promise<void> {
      await expect.poll(() => waiting.has(path), { timeout: 20_000 }).toBe(true);
      waiting.get(path)?.end();
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test("a server that connects for the first time says that its package is downloaded, its last output and the time, until it is there", async ({
  page,
}) => {
  const { url } = toolroom;
  const folder = await mkdtemp(path.join(tmpdir(), "toolroom-npx-"));
  const gate = await openGate();
  try {
    const command = path.join(folder, "npx");
    await writeFile(command, RUNNER, { mode: 0o755 });
    const args = ["-y", "@scope/slow-server", gate.url, path.resolve(scriptFile("echo"))];
    await callApi(url, "servers.create", { settings: { name: "slow", transport: "stdio", command, args } });
    await open(page, `${url}/servers`);
    const row = page.getByRole("row").filter({ hasText: "slow" }).first();
    await expect(row).toContainText(/Downloading the package @scope\/slow-server [1-9]\d* s/);
    await row.getByRole("link", { name: "slow", exact: true }).click();
    const panel = page.getByRole("region", { name: "State of the connection" });
    await expect(panel).toContainText(/Downloading the package @scope\/slow-server\s*[1-9]\d* s/);
    await expect(panel).toContainText("npm warn deprecated left-pad@1.3.0");
    await expectAccessible(page);
    await gate.pass("/downloaded");
    await expect(panel).toContainText("Starting the server");
    await expect(panel).toContainText("Loading the index");
    await gate.pass("/started");
    await expectConnection(page, "connected");
    await expect(panel).toHaveCount(0);
  } finally {
    gate.close();
    await callApi(url, "servers.delete", { name: "slow" });
    await rm(folder, { recursive: true, force: true });
  }
});

test("RTE-01 EXE-06 OUT-02 a pasted mcp.json becomes a connected server whose tools are run and logged, pictures included", async ({
  page,
  startServer,
}) => {
  test.setTimeout(60_000);
  const { url } = await startServer();
  await page.goto(`${url}/servers`);
  await page.getByRole("link", { name: "Paste an mcp.json" }).click();
  await expect(page).toHaveURL(`${url}/servers/new?tab=paste`);
  const mcpJson = { mcpServers: { everything: EVERYTHING_COMMAND, halfway: { args: ["--verbose"] } } };
  await page.getByLabel("Configuration", { exact: true }).fill(JSON.stringify(mcpJson, null, 2));
  const found = page.getByRole("region", { name: "Servers found" });
  await expect(found.getByText("2 servers found")).toBeVisible();
  await expect(found.getByRole("listitem").filter({ hasText: "halfway" })).toContainText(
    'add "command" for a program or "url" for an address',
  );
  await expect(found.getByRole("checkbox", { name: "Import halfway" })).toBeDisabled();
  await page.getByRole("button", { name: "Import 1 server" }).click();

  await expect(page).toHaveURL(`${url}/servers`);
  const row = page.getByRole("row").filter({ hasText: "everything" });
  await expect(row.locator('[data-status="connected"]').first()).toBeVisible();
  await row.getByRole("link", { name: "everything", exact: true }).click();
  await expect(page).toHaveURL(`${url}/servers/everything`);
  await expect(page).toHaveTitle("everything · Servers · Toolroom");
  await expectConnection(page, "connected");
  await expect(page.getByRole("tabpanel").getByRole("link", { name: "echo", exact: true })).toBeVisible();

  await page
    .getByRole("link", { name: /^Tools/ })
    .first()
    .click();
  await expect(toolLink(page, "get_weather")).toBeVisible();
  await addFilter(page, "Server");
  await page.getByRole("dialog").getByRole("button", { name: "everything", exact: true }).click();
  await expect(toolLink(page, "get_weather")).toHaveCount(0);
  await toolLink(page, "everything__echo").click();

  await expect(page.getByRole("heading", { level: 1, name: "everything__echo" })).toBeVisible();
  await page.getByLabel("message", { exact: true }).fill("through the catalog");
  await runButton(page).click();
  await expect(result(page).locator('[data-status="succeeded"]')).toBeVisible();
  await expect(result(page)).toContainText("Echo: through the catalog");

  await open(page, `${url}/tools/everything__get-tiny-image`);
  await runButton(page).click();
  await expect(tab(page, /^Content/)).toHaveAttribute("aria-selected", "true");
  const picture = result(page)
    .getByRole("button", { name: /^Enlarge/ })
    .getByRole("img");
  await expect(picture).toBeVisible();
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(20);
  await tab(page, "Model view").click();
  await expect(page.getByRole("region", { name: "Sent to models" })).toContainText("image/png");

  await page.goto(`${url}/executions?q=through+the+catalog`);
  const rows = page.getByRole("row").filter({ has: page.locator('[data-status="succeeded"]') });
  await expect(rows).toHaveCount(1);
  await rows.getByRole("link", { name: /^everything__echo/ }).press("Enter");
  const facts = page.getByRole("region", { name: "Details" });
  await facts.getByRole("link", { name: "everything", exact: true }).click();
  await expect(page).toHaveURL(`${url}/servers/everything`);
});

test("a server added by form keeps what was typed, says why it does not start, and never shows a secret again", async ({
  page,
}) => {
  test.setTimeout(60_000);
  const secret = "s3cr3t-0451-value";
  const { url } = toolroom;
  const answers: Promise<string>[] = [];
  page.on("response", (response) => {
    const streams = response.headers()["content-type"]?.startsWith("text/event-stream") ?? false;
    if (!streams) answers.push(response.text().catch(() => ""));
  });
  await open(page, `${url}/servers/new`);
  const form = page.getByRole("form", { name: "New server" });
  const name = form.getByRole("textbox", { name: /^Name( required)?$/ });
  const command = form.getByRole("textbox", { name: /^Command( required)?$/ });
  await name.fill("my server");
  await command.fill("no-such-command-here");
  await form.getByRole("button", { name: "Add argument" }).click();
  await form.getByLabel("Argument 1", { exact: true }).fill(scriptFile("echo"));
  await form.getByRole("button", { name: "Add variable" }).click();
  await form.getByLabel("Name of variable 1").fill("API_TOKEN");
  await form.getByLabel("Value of API_TOKEN", { exact: true }).fill(secret);
  await expect(form.getByRole("region", { name: "Check" })).toContainText("Not ready to save");
  await form.getByRole("button", { name: /^Add and connect/ }).click();
  await expect(form.getByText(/1–64 letters, digits/).first()).toBeVisible();
  await expect(name).toBeFocused();
  await expect(command).toHaveValue("no-such-command-here");
  await expect(form.getByLabel("Value of API_TOKEN", { exact: true })).toHaveValue(secret);
  await name.fill("holder");
  await expect(form.getByText("Ready to save")).toBeVisible();
  await form.getByRole("button", { name: /^Add and connect/ }).click();

  await expect(page).toHaveURL(`${url}/servers/holder`);
  await expectConnection(page, "failed");
  const state = page.getByRole("region", { name: "State of the connection" });
  await expect(state).toContainText("The command 'no-such-command-here' was not found");
  await expect(state.getByRole("button", { name: "Try now" })).toBeVisible();

  await page.getByRole("link", { name: "Edit", exact: true }).click();
  const edit = page.getByRole("form", { name: "Edit holder" });
  await expect(edit.getByLabel("Argument 1", { exact: true })).toHaveValue(scriptFile("echo"));
  await expect(edit.getByLabel("Name of variable 1")).toHaveValue("API_TOKEN");
  await expect(edit.getByRole("button", { name: "Replace value of API_TOKEN" })).toBeVisible();
  await edit.getByRole("textbox", { name: /^Command( required)?$/ }).fill("node");
  await edit.getByRole("button", { name: /^Save and reconnect/ }).click();
  await expect(page).toHaveURL(`${url}/servers/holder`);
  await expectConnection(page, "connected");
  await expect(state).toHaveCount(0);

  // The process has it, or else there would be nothing to redact.
  expect((await runTool(url, "holder__tell_secret", {})).status).toBe("succeeded");
  await tab(page, "Log").click();
  await expect(page.getByRole("log")).toContainText("token is [redacted]");
  await tab(page, "Settings").click();
  await expect(page.getByText(/^API_TOKEN = .*stored$/)).toBeVisible();
  await page.reload();
  await expectConnection(page, "connected");
  expect(await page.content()).not.toContain(secret);
  const said = await Promise.all(answers);
  expect(said.filter((text) => text !== "").length).toBeGreaterThan(5);
  expect(said.filter((text) => text.includes(secret))).toEqual([]);
});

test("ERR-05 a server that dies during a call is named with exit code and stderr, and reconnects automatically", async ({
  page,
  context,
}) => {
  const { url } = toolroom;
  await addServer(url, scripted("dying"));
  const other = await context.newPage();
  await open(other, `${url}/servers/dying`);
  await open(page, `${url}/tools/dying__exit`);
  // By time, since a page behind another one may get no frames.
  const away = other.waitForFunction(() => document.querySelector('main [data-status="disconnected"]') !== null, null, {
    polling: 20,
  });
  await runButton(page).click();
  await expect(result(page).locator('[data-status="failed"]')).toBeVisible();
  await expect(result(page)).toContainText("Server 'dying' is unavailable: the process ended with exit code 3");
  await expect(result(page)).toContainText("fatal: disk is full");
  await away;
  await expectConnection(other, "connected");
  expect((await runTool(url, "dying__ok", {})).status).toBe("succeeded");
});

test("a server is switched off and on, deleted and brought back, and its tools go and come with it", async ({
  page,
  context,
}) => {
  const { url } = toolroom;
  await addServer(url, scripted("echo"));
  const other = await context.newPage();
  await open(other, `${url}/tools?server=echo`);
  await expect(toolLink(other, "echo__who")).toBeVisible();

  await open(page, `${url}/servers/echo`);
  await page.getByRole("button", { name: "Disable" }).click();
  await expectConnection(page, "disabled");
  await expect(toolLink(other, "echo__who")).toHaveCount(0);
  await page.getByRole("button", { name: "Enable" }).click();
  await expectConnection(page, "connected");
  await expect(toolLink(other, "echo__who")).toBeVisible();

  await page.getByRole("button", { name: "Actions for echo" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await expect(page).toHaveURL(`${url}/servers`);
  await expect(page.getByRole("main").getByRole("link", { name: "echo", exact: true })).toHaveCount(0);
  await expect(toolLink(other, "echo__who")).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page).toHaveURL(`${url}/servers/echo`);
  await expectConnection(page, "connected");
  await expect(toolLink(other, "echo__who")).toBeVisible();
});

test("a server that connects while its page is on its way is shown connected", async ({ page }) => {
  const { url } = toolroom;
  await addServer(url, { ...scripted("echo"), name: "late" });
  await callApi(url, "servers.setEnabled", { name: "late", enabled: false });
  const isPage = ({ pathname, searchParams }: URL) => pathname === "/servers/late" && searchParams.has("_rsc");
  await page.route(isPage, async (route) => {
    if (route.request().headers()["next-router-prefetch"] !== undefined) return route.continue();
    // The page is made while the server is off, and arrives when it is on.
    const response = await route.fetch();
    await callApi(url, "servers.setEnabled", { name: "late", enabled: true });
    // Every open page has received the event by now.
    const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: "late", exact: true }) });
    await expect(row.locator('[data-status="connected"]').first()).toBeVisible();
    await route.fulfill({ response });
  });
  await open(page, `${url}/servers`);
  await page.getByRole("main").getByRole("link", { name: "late", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "late" })).toBeVisible();
  await expectConnection(page, "connected");
  await expect(page.getByRole("button", { name: "Disable" })).toBeVisible();
  expect((await getServer(url, "late")).state.status).toBe("connected");
});

test("REG-01 a server's tools are in the catalog after a restart, before it is connected again", async ({
  page,
  startServer,
}) => {
  const first = await startServer();
  await addServer(first.url, scripted("echo"));
  await expect.poll(async () => (await getServer(first.url, "echo")).listedAt).not.toBeNull();
  expect(await first.stop()).toBe(0);
  // Without a PATH the command is not found: what is known now is what was known before.
  const again = await startServer({ databaseFile: first.databaseFile, env: { PATH: "/nonexistent" } });
  await page.goto(`${again.url}/servers/echo`);
  await expectConnection(page, "failed");
  await page.goto(`${again.url}/tools?server=echo`);
  await expect(toolLink(page, "echo__who")).toBeVisible();
});

test("a server that changes its tools while it runs has every change told, and open lists follow", async ({
  page,
  context,
}) => {
  const { url } = toolroom;
  await addServer(url, scripted("evolving"));
  const other = await context.newPage();
  await open(other, `${url}/tools?server=evolving`);
  await expect(toolLink(other, "evolving__leaving")).toBeVisible();
  await open(page, `${url}/servers/evolving?tab=changes`);
  await expect(page.getByText("No changes yet")).toBeVisible();

  await runTool(url, "evolving__evolve", {});
  await expect(toolLink(other, "evolving__arrived")).toBeVisible();
  await expect(toolLink(other, "evolving__leaving")).toHaveCount(0);
  const change = (tool: string) => page.getByRole("tabpanel").getByRole("listitem").filter({ hasText: tool }).last();
  await expect(change("arrived")).toContainText("added");
  await expect(change("leaving")).toContainText("removed");
  const breaking = page.getByRole("tabpanel").getByRole("listitem").filter({ hasText: "breaking" }).last();
  await expect(breaking).toContainText("read");
  await expect(breaking).toContainText("parameter 'page' is now required");
  await page.goto(`${url}/servers`);
  const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: "evolving", exact: true }) });
  await expect(row).toContainText("2 breaking");
});

test("icons of a server and its tools are shown in lists and heads, from Toolroom's own address", async ({ page }) => {
  const { url } = toolroom;
  await addServer(url, scripted("icons"));
  const foreign: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin && !request.url().startsWith("data:")) {
      foreign.push(request.url());
    }
  });
  const width = (image: Locator) => image.evaluate((element: HTMLImageElement) => element.naturalWidth);
  await open(page, `${url}/servers`);
  const row = page.getByRole("row").filter({ has: page.getByRole("link", { name: "icons", exact: true }) });
  await expect.poll(() => width(row.locator("img"))).toBeGreaterThan(0);
  await page.goto(`${url}/tools?q=icons__`);
  const toolRow = (name: string) =>
    page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
  await expect.poll(() => width(toolRow("icons__draw").locator("img"))).toBeGreaterThan(0);
  await expect(toolRow("icons__trick")).toBeVisible();
  expect(await width(toolRow("icons__trick").locator("img"))).toBe(0);
  for (const path of ["/servers/icons", "/tools/icons__draw"]) {
    await page.goto(url + path);
    await expect.poll(() => width(page.getByRole("main").locator("header img")), path).toBeGreaterThan(0);
  }
  await expectAccessible(page);
  expect(foreign).toEqual([]);
  const read = async (theme: string) => (await page.request.get(`${url}/api/icons?server=icons&theme=${theme}`)).text();
  expect(await read("light")).toContain("royalblue");
  expect(await read("dark")).toContain("gold");
  const opened = await page.request.get(`${url}/api/icons?tool=icons__draw`);
  expect(opened.headers()["content-security-policy"]).toContain("sandbox");
});

test("the keyboard alone: add a server by form, reach its tools, run one", async ({ page }) => {
  const { url } = toolroom;
  await open(page, `${url}/servers`);
  await tabTo(page, page.getByRole("link", { name: "Add server" }));
  await page.keyboard.press("Enter");
  const form = page.getByRole("form", { name: "New server" });
  await tabTo(page, form.getByRole("textbox", { name: /^Name( required)?$/ }));
  await page.keyboard.type("by-keyboard");
  await tabTo(page, form.getByRole("textbox", { name: /^Command( required)?$/ }));
  await page.keyboard.type("node");
  await tabTo(page, form.getByRole("button", { name: "Add argument" }));
  await page.keyboard.press("Enter");
  const argument = form.getByLabel("Argument 1", { exact: true });
  // The new row stands before the button.
  await tabTo(page, argument, "Shift+Tab");
  await page.keyboard.type(scriptFile("echo"));
  await expect(argument).toHaveValue(scriptFile("echo"));
  await expect(form.getByText("Ready to save")).toBeVisible();
  await page.keyboard.press("Control+Enter");
  await expect(page).toHaveURL(`${url}/servers/by-keyboard`);
  await expectConnection(page, "connected");
  await tabTo(page, page.getByRole("tabpanel").getByRole("link", { name: "who", exact: true }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "by-keyboard__who" })).toBeVisible();
  // The head of the page comes before the runner, which hears the keys.
  await expect(page.getByRole("button", { name: /^Run\b(?! anyway)/ })).toBeEnabled();
  await page.keyboard.press("Control+Enter");
  await expect(result(page).locator('[data-status="succeeded"]')).toBeVisible();
});
