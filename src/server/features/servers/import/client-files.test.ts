import { describe, expect, it } from "vitest";
import type { ServerImport } from "../../../../lib/contract/server-import";
import { openImport } from "./parse-import.test-support";

const parseImport = openImport();
const ref = (inside: string): string => `\${${inside}}`;

async function read(text: string): Promise<ServerImport["servers"]> {
  const { servers, problems } = await parseImport(text);
  expect(problems).toEqual([]);
  for (const server of servers) expect(server.problems).toEqual([]);
  return servers;
}

/** The one server of a text, without problems. */
async function one(text: string) {
  const [server, ...more] = await read(text);
  expect(more).toEqual([]);
  if (server?.settings == null) throw new Error("no server");
  return { ...server, settings: server.settings };
}

describe("Zed", () => {
  it("reads context servers in the flat form, an address, a disabled one, and the older form with a path", async () => {
    const servers = await read(`// Zed settings
    {
      "theme": "One Dark",
      "context_servers": {
        "files": { "source": "custom", "command": "npx", "args": ["-y", "server-filesystem", "/srv"], "env": { "LOG": "1" } },
        "remote": { "url": "https://mcp.example.com/mcp", "headers": { "Authorization": "Bearer x" } },
        "idle": { "enabled": false, "source": "custom", "command": "idle-mcp", "args": [], "env": {} },
        "older": { "command": { "path": "uvx", "args": ["mcp-server-git"], "env": { "A": "1" } }, "settings": {} },
      },
    }`);
    expect(servers.map(({ name, enabled }) => [name, enabled])).toEqual([
      ["files", true],
      ["remote", true],
      ["idle", false],
      ["older", true],
    ]);
    expect(servers[0]?.settings).toMatchObject({ command: "npx", env: [{ name: "LOG", value: "1" }] });
    expect(servers[1]?.settings).toMatchObject({ transport: "http", headers: [{ name: "Authorization" }] });
    expect(servers[3]?.settings).toMatchObject({
      command: "uvx",
      args: ["mcp-server-git"],
      env: [{ name: "A", value: "1" }],
    });
    expect(servers[3]?.notes).toEqual(["ignored: settings"]);
  });
});

describe("Continue", () => {
  it("reads the list of a YAML configuration, with secrets, headers and a connection timeout", async () => {
    const servers = await read(`name: My Config
version: 0.0.1
schema: v1
models: []
mcpServers:
  - name: SQLite
    command: npx
    args:
      - "-y"
      - mcp-sqlite
      - /path/to/db
    env:
      KEY: \${{ secrets.SQLITE_KEY }}
    connectionTimeout: 20000
  - name: Docs
    type: streamable-http
    url: https://docs.example.com/mcp
    requestOptions:
      headers:
        X-Team: blue
`);
    expect(servers[0]?.settings).toMatchObject({
      name: "SQLite",
      args: ["-y", "mcp-sqlite", "/path/to/db"],
      env: [{ name: "KEY", value: ref("SQLITE_KEY") }],
      connectTimeoutMs: 20_000,
    });
    expect(servers[1]?.settings).toMatchObject({ transport: "http", headers: [{ name: "X-Team", value: "blue" }] });
  });

  it("reads the older JSON, whose transport is an object", async () => {
    const { name, settings } = await one(
      `{"experimental": {"modelContextProtocolServers": [{"transport": {"type": "stdio", "command": "uvx", "args": ["mcp-server-sqlite", "--db-path", "/a.db"]}}]}}`,
    );
    expect([name, settings]).toMatchObject(["mcp-server-sqlite", { transport: "stdio", command: "uvx" }]);
  });

  it("reads the list in JSON, and keeps two servers of one name apart", async () => {
    const servers = await read(`{"mcpServers": [{"name": "a", "command": "x"}, {"name": "a", "command": "y"}]}`);
    expect(servers.map(({ name }) => name)).toEqual(["a", "a-2"]);
    expect(servers[1]?.notes).toEqual(["Renamed to 'a-2': 'a' appears more than once"]);
  });
});

describe("opencode", () => {
  it("reads commands as lists, environment, {env:…}, disabled servers and switched-off tools", async () => {
    const servers = await read(`{
      "$schema": "https://opencode.ai/config.json",
      "mcp": {
        "everything": {
          "type": "local",
          "command": ["npx", "-y", "@modelcontextprotocol/server-everything"],
          "environment": { "TOKEN": "{env:MY_TOKEN}" },
          "enabled": true,
          "timeout": 8000
        },
        "jira": { "type": "remote", "url": "https://jira.example.com/mcp", "enabled": false },
        "wiki": { "type": "remote", "url": "https://wiki.example.com/sse", "oauth": { "client_id": "me", "scope": "read" } }
      },
      "tools": { "everything_echo": false, "wiki_*": false, "write": false }
    }`);
    expect(servers[0]).toMatchObject({
      enabled: true,
      settings: {
        transport: "stdio",
        command: "npx",
        args: ["-y", "@modelcontextprotocol/server-everything"],
        env: [{ name: "TOKEN", value: ref("MY_TOKEN") }],
        connectTimeoutMs: 8000,
        toolFilter: { mode: "except", names: ["echo"] },
      },
    });
    expect(servers[1]).toMatchObject({ enabled: false, settings: { transport: "http" } });
    expect(servers[2]).toMatchObject({
      enabled: false,
      settings: { transport: "sse", auth: { type: "oauth", clientId: "me", scope: "read" } },
    });
  });
});

describe("Codex", () => {
  it("reads TOML: stdio with limits and tools, HTTP with a token and headers by variable", async () => {
    const servers = await read(`model = "gpt-5"

[mcp_servers.context7]
command = "npx"
args = ["-y", "@upstash/context7-mcp"]
env_vars = ["LOCAL_TOKEN"]
startup_timeout_sec = 20
tool_timeout_sec = 45.5
enabled_tools = ["open", "screenshot", "close"]
disabled_tools = ["screenshot"]

[mcp_servers.context7.env]
MODE = "fast"

[mcp_servers.figma]
url = "https://mcp.figma.com/mcp"
bearer_token_env_var = "FIGMA_OAUTH_TOKEN"
http_headers = { "X-Figma-Region" = "us-east-1" }
env_http_headers = { "X-Trace" = "TRACE_ID" }
enabled = false
`);
    expect(servers[0]?.settings).toMatchObject({
      command: "npx",
      env: [
        { name: "LOCAL_TOKEN", value: ref("LOCAL_TOKEN") },
        { name: "MODE", value: "fast" },
      ],
      connectTimeoutMs: 20_000,
      timeoutMs: 45_500,
      toolFilter: { mode: "only", names: ["open", "close"] },
    });
    expect(servers[1]).toMatchObject({ enabled: false, settings: { transport: "http" } });
    const { settings } = servers[1] ?? {};
    expect(settings?.transport === "http" ? settings.headers : null).toEqual(
      expect.arrayContaining([
        { name: "Authorization", value: `Bearer ${ref("FIGMA_OAUTH_TOKEN")}` },
        { name: "X-Figma-Region", value: "us-east-1" },
        { name: "X-Trace", value: ref("TRACE_ID") },
      ]),
    );
  });

  it("reads a single table as it is copied out of the file", async () => {
    const { name, settings } = await one(`[mcp_servers."my files"]\ncommand = 'C:\\tools\\files.exe'\n`);
    expect([name, settings]).toMatchObject(["my-files", { command: "C:\\tools\\files.exe" }]);
  });
});

describe("Gemini CLI", () => {
  it("reads $VAR, httpUrl, milliseconds, tool lists, and servers that are excluded", async () => {
    const servers = await read(`{
      "mcp": { "excluded": ["old"] },
      "mcpServers": {
        "python": {
          "command": "python", "args": ["-m", "server", "$HOME/data"], "env": { "API_KEY": "$MY_API_TOKEN", "PLAIN": "pa$$word" },
          "cwd": "./server", "timeout": 15000, "trust": true,
          "includeTools": ["read", "search(query)", "drop"], "excludeTools": ["drop"]
        },
        "remote": { "httpUrl": "https://api.example.com/mcp", "headers": { "Authorization": "Bearer $TOKEN" }, "timeout": 500 },
        "old": { "command": "old" }
      }
    }`);
    const [python, remote, old] = servers;
    expect(python?.settings).toMatchObject({
      args: ["-m", "server", `${ref("HOME")}/data`],
      env: [
        { name: "API_KEY", value: ref("MY_API_TOKEN") },
        { name: "PLAIN", value: "pa$$word" },
      ],
      timeoutMs: 15_000,
      toolFilter: { mode: "only", names: ["read", "search"] },
    });
    expect(python?.settings).not.toHaveProperty("approval");
    expect(python?.notes).toContain(
      `env.API_KEY: $MY_API_TOKEN was imported as ${ref("MY_API_TOKEN")}, a variable; if it is plain text, correct it in the form`,
    );
    expect(python?.notes).toContain("trust: not imported; set approvals in Toolroom instead");
    expect(remote?.settings).toMatchObject({ transport: "http", timeoutMs: 500 });
    expect(old?.enabled).toBe(false);
  });
});

describe("Cline, Roo Code, Kiro and Amazon Q", () => {
  it("reads seconds, disabled tools and servers, and never takes over what runs without asking", async () => {
    const servers = await read(`{
      "mcpServers": {
        "cline": { "command": "node", "args": ["a.js"], "alwaysAllow": ["write"], "disabled": true, "timeout": 1800 },
        "roo": { "type": "streamable-http", "url": "https://roo.example/mcp", "disabledTools": ["delete"], "timeout": 60, "alwaysAllow": [] },
        "kiro": { "command": "uvx", "args": ["x"], "autoApprove": ["*"], "disabledTools": ["*"], "timeout": 120000 }
      }
    }`);
    const [cline, roo, kiro] = servers;
    expect(cline).toMatchObject({ enabled: false, settings: { timeoutMs: 1_800_000 } });
    expect(cline?.settings).not.toHaveProperty("approval");
    expect(cline?.notes.some((note) => note.startsWith("alwaysAllow: not imported"))).toBe(true);
    expect(roo?.settings).toMatchObject({ timeoutMs: 60_000, toolFilter: { mode: "except", names: ["delete"] } });
    expect(roo?.notes.some((note) => note.startsWith("alwaysAllow"))).toBe(false);
    expect(kiro?.settings).toMatchObject({ timeoutMs: 120_000, toolFilter: { mode: "only", names: [] } });
    expect(kiro?.notes).toContain("No tool is offered");
  });
});

describe("GitHub Copilot", () => {
  it("reads the coding agent's types, tool lists and secrets", async () => {
    const servers = await read(`{
      "mcpServers": {
        "sentry": { "type": "local", "command": "npx", "args": ["@sentry/mcp-server@latest", "--host=$SENTRY_HOST"],
          "tools": ["get_issue_details", "get_issue_summary"], "env": { "TOKEN": "COPILOT_MCP_SENTRY_TOKEN" } },
        "azure": { "type": "http", "url": "https://mcp.example.com", "tools": ["*"], "headers": { "Authorization": "$COPILOT_MCP_KEY" } },
        "none": { "type": "sse", "url": "https://mcp.example.com/events", "tools": [] }
      }
    }`);
    const [sentry, azure, none] = servers;
    expect(sentry?.settings).toMatchObject({
      transport: "stdio",
      args: ["@sentry/mcp-server@latest", `--host=${ref("SENTRY_HOST")}`],
      env: [{ name: "TOKEN", value: ref("COPILOT_MCP_SENTRY_TOKEN") }],
      toolFilter: { mode: "only", names: ["get_issue_details", "get_issue_summary"] },
    });
    expect(azure?.settings).toMatchObject({ headers: [{ value: ref("COPILOT_MCP_KEY") }] });
    expect(azure?.settings).not.toHaveProperty("toolFilter");
    expect(none?.settings).toMatchObject({ transport: "sse", toolFilter: { mode: "only", names: [] } });
  });
});

describe("VS Code", () => {
  it("reads inputs with a default, and env: variables", async () => {
    const { settings, notes } = await one(`{
      "inputs": [{ "type": "promptString", "id": "region", "description": "Region", "default": "eu" }],
      "servers": { "db": { "command": "db-mcp", "args": ["${ref("input:region")}"], "env": { "HOME": "${ref("env:HOME")}" } } }
    }`);
    expect(settings).toMatchObject({ args: [ref("REGION:-eu")], env: [{ name: "HOME", value: ref("env:HOME") }] });
    expect(notes).toEqual([`args[0]: ${ref("input:region")} (Region) was imported as ${ref("REGION")}`]);
  });
});
