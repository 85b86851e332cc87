import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { toolsetInputSchema } from "../../lib/contract/toolset";
import { runWords, serveRest } from "../cli/commands.test-support";
import {
  type GatewayContainer,
  newDatabaseUrl,
  rawClient,
  startGatewayContainer,
} from "../mcp/gateway/gateway-container.test-support";

const buildMock = (name: string, more: object = {}) => ({
  type: "function",
  name,
  handler: "mock",
  description: "A tool of the test.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  implementation: { type: "mock", mock_response: "done" },
  ...more,
});
/** One character more than Cursor takes beside the name `toolroom`. */
const LONG = "n".repeat(52);
const CHOICE = {
  type: "object",
  properties: { path: { type: "string" }, url: { type: "string" } },
  anyOf: [{ required: ["path"] }, { required: ["url"] }],
};

let server: GatewayContainer;
let rest: Awaited<ReturnType<typeof serveRest>>;
const services = () => server.container.services;

beforeAll(async () => {
  const config = path.join(await mkdtemp(path.join(os.tmpdir(), "toolroom-verdicts-")), "toolroom.json");
  const tools = {
    registry: [buildMock("plain"), buildMock(LONG), buildMock("choose", { parameters: CHOICE })],
  };
  await writeFile(config, JSON.stringify({ mcpServers: {}, tools }));
  server = await startGatewayContainer(await newDatabaseUrl(), 0, { TOOLROOM_CONFIG: config });
  const overrides = [{ tool: LONG, name: "short" }];
  const fitting = toolsetInputSchema.parse({ name: "fitting", tools: ["plain", LONG], overrides });
  await services().toolsets.create(LOCAL_PRINCIPAL, fitting);
  rest = await serveRest(server.container);
});
afterAll(async () => {
  await rest.close();
  await server.stop();
});

const check = (...words: string[]) => runWords(["clients", "check", "--toolroom", rest.url, ...words]);

describe("the verdicts of clients", () => {
  it("are those on the list that a client would get, and a name in a toolset counts", async () => {
    const { clientVerdicts } = services();
    const all = await clientVerdicts.check(LOCAL_PRINCIPAL, "cursor", {});
    expect(all.findings.map(({ tool, rule }) => [tool, rule])).toEqual([[LONG, "cursor/name-length"]]);
    expect(await clientVerdicts.check(LOCAL_PRINCIPAL, "cursor", { toolset: "fitting" })).toMatchObject({
      verdict: "works",
      tools: 2,
    });
    const verdicts = await clientVerdicts.checkAll(LOCAL_PRINCIPAL, { tool: "choose" });
    const found = Object.fromEntries(verdicts.map(({ client, verdict }) => [client, verdict]));
    expect(found).toMatchObject({
      "claude-code": "works_with_changes",
      "anthropic-api": "does_not_work",
      chatgpt: "does_not_work",
      windsurf: "cannot_tell",
      cursor: "works",
    });
  });

  it("name what is asked for and is not there", async () => {
    const { clientVerdicts } = services();
    const ask = (part: object) => clientVerdicts.check(LOCAL_PRINCIPAL, "cursor", part);
    await expect(ask({ tool: "nope" })).rejects.toThrow("Tool 'nope' is not served: it is unknown or disabled");
    await expect(ask({ server: "nope" })).rejects.toThrow("Server 'nope' not found");
    await expect(ask({ toolset: "nope" })).rejects.toThrow("Toolset 'nope' not found");
    await expect(ask({ tool: "plain", toolset: "fitting" })).rejects.toThrow("Name one of tool, server and toolset");
  });

  it("count a recorded result that is longer than a client passes on", async () => {
    const long = "x".repeat(60_000);
    const definition = buildMock("large", { implementation: { type: "mock", mock_response: long } });
    await services().tools.create(LOCAL_PRINCIPAL, JSON.stringify(definition));
    await services().executions.run(LOCAL_PRINCIPAL, { tool: "large", argumentsText: '{"path":"a"}' });
    const { findings } = await services().clientVerdicts.check(LOCAL_PRINCIPAL, "claude-code", { tool: "large" });
    expect(findings).toMatchObject([{ rule: "claude-code/result-length", severity: "cut", remedy: { kind: "lens" } }]);
    await services().tools.delete(LOCAL_PRINCIPAL, "large");
  });

  it("answer why a client that was given a tool does not use it", async () => {
    const cursor = await rawClient(server.url, "2025-11-25", { name: "cursor-vscode" });
    await cursor.ask("tools/list");
    expect(await services().clients.explain("cursor-vscode", LONG)).toMatchObject({
      verdict: "client",
      answer: expect.stringContaining("Cursor takes 59 and refuses it"),
      wayOut: "Give it a name of at most 51 characters in a toolset.",
    });
    expect(await services().clients.explain("cursor-vscode", "plain")).toMatchObject({ verdict: "listed" });
    const { verdict } = await services().clients.fit("cursor-vscode");
    expect(verdict).toMatchObject({ client: "cursor", verdict: "works_with_changes", tools: 3, refused: 1 });
    await (await rawClient(server.url, "2025-11-25", { name: "homemade" })).ask("tools/list");
    expect(await services().clients.fit("homemade")).toMatchObject({ verdict: null });
  });
});

describe("an address with ?for=", () => {
  it("lists schemas in the form that the client passes on whole, and calls are still checked against the tool's own", async () => {
    const client = await rawClient(`${server.url}?for=claude-code`, "2025-11-25", { name: "claude-code" });
    const listed = (await client.ask("tools/list")).at(-1)?.result?.tools as { name: string; inputSchema: object }[];
    const choose = listed.find(({ name }) => name === "choose")?.inputSchema;
    expect(choose).toMatchObject({ type: "object", properties: { path: { type: "string" }, url: { type: "string" } } });
    expect(choose).not.toHaveProperty("anyOf");
    const refused = (await client.ask("tools/call", { name: "choose", arguments: {} })).at(-1);
    expect(refused?.result).toMatchObject({ isError: true });
    const done = (await client.ask("tools/call", { name: "choose", arguments: { path: "a" } })).at(-1);
    expect(done?.result).not.toHaveProperty("isError", true);
  });

  it("is recorded with its form, and judged by the list in it", async () => {
    const found = await services().clients.get("claude-code");
    expect(found.addresses).toEqual(["/mcp?for=claude-code"]);
    expect((await services().clients.fit("claude-code")).verdict).toMatchObject({ verdict: "works", findings: [] });
    const plain = await services().clientVerdicts.check(LOCAL_PRINCIPAL, "claude-code", {});
    expect(plain.findings).toMatchObject([
      { tool: "choose", remedy: { text: expect.stringContaining("?for=claude-code") } },
    ]);
  });

  it("names the clients that it knows where it is given another", async () => {
    const response = await fetch(`${server.url}?for=netscape`, { method: "POST", body: "{}" });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(
      "for=netscape is not a known client: use one of claude-code, claude-desktop",
    );
  });
});

describe("toolroom clients check", () => {
  it("prints each client's verdict, and fails where a tool is refused", async () => {
    const { code, stdout } = await check("--toolset", "fitting", "--fail-on", "never");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^CLIENT +VERDICT +TOOLS +FINDINGS +FIRST\n/);
    expect(stdout).toMatch(/^cursor +Works +2 +0$/m);
    expect(stdout).toMatch(/^chatgpt +Does not work +2, 2 refused/m);
    expect((await check("--for", "cursor", "--toolset", "fitting")).code).toBe(0);
    expect((await check("--for", "cursor")).code).toBe(1);
  });

  it("lists the findings of the named clients, with their remedies", async () => {
    const { code, stdout } = await check("--for", "claude-code", "--for", "cursor", "--fail-on", "dropped");
    expect(code).toBe(1);
    expect(stdout).toContain("dropped  choose  claude-code/root-keywords");
    expect(stdout).toContain(`refused  ${LONG}  cursor/name-length`);
    expect(stdout).toContain("Give it a name of at most 51 characters in a toolset.");
  });

  it("writes JUnit and SARIF for continuous integration, and JSON", async () => {
    const junit = (await check("--for", "cursor", "--format", "junit")).stdout;
    expect(junit).toContain('<testsuite name="cursor: Works with changes" tests="2" failures="1"');
    expect(junit).toContain(`<testcase name="${LONG}" classname="cursor"`);
    const sarif = JSON.parse((await check("--for", "cursor", "--format", "sarif")).stdout);
    expect(sarif.runs[0].results).toMatchObject([{ ruleId: "cursor/name-length", level: "error" }]);
    expect(sarif.runs[0].tool.driver.rules).toMatchObject([{ id: "cursor/name-length", helpUri: expect.any(String) }]);
    const { items } = JSON.parse((await check("--for", "cursor", "--json")).stdout);
    expect(items).toMatchObject([{ client: "cursor", refused: 1 }]);
  });

  it("names an option that it cannot use", async () => {
    const unknown = await check("--for", "netscape");
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(unknown.stderr).toContain("--for names an unknown client 'netscape'.");
    expect((await check("--tool", "a", "--server", "b")).stderr).toContain(
      "Give one of --tool, --server and --toolset.",
    );
    expect((await check("--server", "nope", "--for", "cursor")).code).toBe(3);
  });
});
