import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { callApi, mockTool, runTool } from "../support/api";
import { createPurge, getExecution, whenAsked } from "../support/runs";
import { addServer, scripted, scriptFile } from "../support/servers";
import { expect, test } from "./fixtures";

const RUN = "Run Ctrl";

test("EXE-01 a new console leads to a tool, which runs", async ({ tab }) => {
  await tab.visit("/");
  await tab.press("link", "Run get_weather");
  await tab.has({ role: "heading", name: "get_weather", exact: true });
  await tab.fill("location", "Oslo", { exact: true });
  await tab.press("button", RUN);
  await tab.status("succeeded", "Result");
  await tab.shows("sunny");
});

test("REG-01 a tool is registered by its form, and runs", async ({ tab }) => {
  await tab.visit("/tools/new");
  await tab.fill("Name", "find_customer");
  await tab.fill("Description", "Finds a customer by name");
  await tab.press("button", "Create tool");
  await tab.isAt("/tools/find_customer");
  await tab.fill("query", "Ada", { exact: true });
  await tab.press("button", RUN);
  await tab.status("succeeded", "Result");
});

test("EXE-02 executions are found by their text, opened, and replayed with an edit beside the original", async ({
  tab,
  server: { url },
}) => {
  const { id } = await runTool(url, "get_weather", { location: "Reykjavik" });
  await runTool(url, "echo", { message: "something else" });
  await tab.visit("/executions");
  await tab.fill("Search", "Reykjavik");
  await tab.isAt("q=");
  await tab.hides("something else");
  await tab.press("link", "get_weather");
  await tab.shows("Edit and replay");
  await tab.visit(`/executions/${id}`);
  await tab.press("tab", "Edit and replay");
  await tab.fill("location", "Bergen", { exact: true });
  await tab.press("button", "Run again");
  await tab.press("link", "Compare");
  await tab.isAt("/compare");
  await tab.shows("Bergen");
});

test("RTE-01 a server is added by its form, and its tools are there", async ({ tab }) => {
  await tab.visit("/servers/new");
  await tab.fill("Name", "by_form", { within: "New server" });
  await tab.fill("Command", "node", { within: "New server" });
  await tab.press("button", "Add argument");
  await tab.fill("Argument 1", scriptFile("echo"));
  await tab.press("button", "Add and connect");
  await tab.isAt("/servers/by_form");
  await tab.status("connected");
  await tab.shows("by_form__");
});

test("AGT-08 a model calls a tool in the Playground, and its answer comes", async ({ tab }) => {
  await tab.visit("/playground");
  await tab.fill("Message to the model", "what is 12*7");
  await tab.press("button", "Send", { exact: true });
  await tab.status("succeeded", "Call of calculator");
  await tab.shows("84");
});

test("AGT-05 a call that requires approval is approved with edited arguments", async ({ tab, server: { url } }) => {
  await createPurge(url, "purge_asked");
  const { id } = await runTool(url, "purge_asked", { folder: "old" }, { waitMs: 0 });
  await whenAsked(url, "purge_asked");
  await tab.visit("/approvals");
  await tab.press("button", "purge_asked");
  await tab.press("button", "Edit arguments");
  await tab.fill("folder", "older", { exact: true });
  await tab.press("button", "Approve");
  await expect.poll(async () => (await getExecution(url, id)).status).toBe("succeeded");
  expect((await getExecution(url, id)).argumentsText).toContain("older");
});

test("a toolset is made on its page", async ({ tab, server: { url } }) => {
  await tab.visit("/toolsets/new");
  await tab.fill("Name", "weather");
  await tab.press("checkbox", "echo");
  await tab.press("button", "Create toolset");
  await tab.has({ role: "heading", name: "weather", exact: true });
  expect(await callApi(url, "toolsets.get", { name: "weather" }, "GET")).toMatchObject({ tools: ["echo"] });
});

test("a catalog is downloaded, and a changed one is uploaded and imported", async ({
  tab,
  server: { url },
  running: { downloads },
}, info) => {
  await callApi(url, "tools.create", { definition: mockTool("shared_one", { type: "object", properties: {} }) });
  await tab.visit("/settings/sharing");
  await tab.fill("Search what to export", "shared_");
  await tab.shows("1 tool, 0 servers");
  await tab.press("button", "Download");
  const findFile = async () => (await readdir(downloads)).find((name) => name.endsWith(".json"));
  await expect.poll(findFile, "the download").toBeDefined();
  const text = await readFile(path.join(downloads, (await findFile()) ?? ""), "utf8");
  expect(JSON.parse(text).tools).toHaveLength(1);
  const file = info.outputPath("changed.json");
  await writeFile(file, text.replaceAll("shared_one", "shared_two"));
  await tab.upload("input[type=file]", file);
  await tab.press("button", "Import 1");
  await tab.shows("1 entry imported");
  await callApi(url, "tools.get", { name: "shared_two" }, "GET");
});

test("an App opens in its frame, and what is pressed in it calls its tool", async ({ tab, server: { url } }) => {
  const settings = scripted("apps");
  if (settings.transport !== "stdio") throw new Error("the server is started by a command");
  await addServer(url, { ...settings, args: [...(settings.args ?? []), "http://127.0.0.1:9"] });
  await tab.visit("/tools/apps__counter");
  await tab.press("button", RUN);
  await tab.frameShows('iframe[title="App of apps"]', "40");
  await tab.pressInFrame('iframe[title="App of apps"]', "Increase");
  await tab.frameShows('iframe[title="App of apps"]', "42");
});

test("REG-05 the palette opens by its keys and leads to a page; a menu and a dialog close with Escape", async ({
  tab,
}) => {
  await tab.visit("/");
  await tab.key("k", "Control");
  await tab.has({ role: "combobox", within: "" });
  await tab.type("calculator");
  await tab.key("Enter");
  await tab.isAt("/tools/calculator");
  await tab.press("button", "Actions for calculator");
  await tab.has({ role: "menu" });
  await tab.key("Escape");
  await tab.gone({ role: "menu" });
  await tab.visit("/executions");
  await tab.key("?");
  await tab.has({ role: "dialog" });
  await tab.key("Escape");
  await tab.gone({ role: "dialog" });
});

test("REG-02 at 375 px in the dark theme nothing scrolls sideways, and the menu leads to a page", async ({ tab }) => {
  await tab.visit("/");
  await tab.press("button", "Switch to light");
  await tab.press("button", "Switch to dark");
  await expect
    .poll(() =>
      tab.evaluate(
        () => getComputedStyle(document.body).colorScheme + getComputedStyle(document.documentElement).colorScheme,
      ),
    )
    .toContain("dark");
  await tab.resize(375, 740);
  for (const each of [
    "/",
    "/tools",
    "/tools/get_weather",
    "/executions",
    "/servers/new",
    "/playground",
    "/approvals",
    "/settings",
  ]) {
    await tab.visit(each);
    await expect
      .poll(
        () =>
          tab.evaluate(() => {
            const boxes = [document.documentElement, ...document.querySelectorAll("main")];
            return Math.max(...boxes.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
          }),
        each,
      )
      .toBeLessThanOrEqual(0);
  }
  await tab.press("button", "Open menu");
  await tab.press("link", "Executions");
  await tab.isAt("/executions");
});

test("VAL-01 dates and numbers arrive as they were typed, and what is wrong is said beside its field", async ({
  tab,
  server: { url },
}) => {
  const properties = {
    day: { type: "string", format: "date" },
    count: { type: "integer", minimum: 1 },
    note: { type: "string" },
  };
  const definition = JSON.parse(mockTool("plan_day", { type: "object", properties, required: ["day", "count"] }));
  const definitionText = JSON.stringify({ ...definition, implementation: { type: "builtin", handler: "echo" } });
  await callApi(url, "tools.create", { definition: definitionText });
  await tab.visit("/tools/plan_day");
  await tab.fill("day", "2026-11-29", { exact: true });
  await tab.fill("count", "0", { exact: true });
  await expect.poll(() => tab.evaluate(() => document.querySelectorAll('[aria-invalid="true"]').length)).toBe(1);
  await tab.fill("count", "12", { exact: true });
  await tab.press("button", RUN);
  await tab.status("succeeded", "Result");
  await tab.shows("2026-11-29");
});
