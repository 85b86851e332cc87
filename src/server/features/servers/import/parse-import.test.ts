import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SERVER_NAME_PATTERN, serverSettingsSchema } from "../../../../lib/contract/server";
import { jsonValues } from "../../../../lib/json-values.test-support";
import { openImport } from "./parse-import.test-support";

const parseImport = openImport();
const read = (json: unknown) => parseImport(JSON.stringify(json));
const ref = (inside: string): string => `\${${inside}}`;

async function only(json: unknown) {
  const { servers, problems } = await read(json);
  expect(problems).toEqual([]);
  expect(servers).toHaveLength(1);
  return servers[0] as (typeof servers)[number];
}
const entry = (fields: object) => only({ mcpServers: { one: fields } });

describe("what other programs write", () => {
  it("reads Claude Desktop's file", async () => {
    const found = await parseImport(`{
      "mcpServers": {
        "filesystem": {
          "command": "npx",
          "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/me/Desktop", "/Users/me/Downloads"]
        },
        "brave-search": {
          "command": "C:\\\\Program Files\\\\nodejs\\\\npx.cmd",
          "args": ["-y", "@modelcontextprotocol/server-brave-search"],
          "env": { "BRAVE_API_KEY": "BSA-literal", "APPDATA": "C:\\\\Users\\\\me\\\\AppData\\\\Roaming\\\\" }
        }
      }
    }`);
    expect(found).toEqual({
      problems: [],
      notes: [],
      servers: [
        {
          name: "filesystem",
          enabled: true,
          problems: [],
          notes: [],
          settings: {
            name: "filesystem",
            transport: "stdio",
            command: "npx",
            args: ["-y", "@modelcontextprotocol/server-filesystem", "/Users/me/Desktop", "/Users/me/Downloads"],
            env: [],
          },
        },
        {
          name: "brave-search",
          enabled: true,
          problems: [],
          notes: [],
          settings: {
            name: "brave-search",
            transport: "stdio",
            command: "C:\\Program Files\\nodejs\\npx.cmd",
            args: ["-y", "@modelcontextprotocol/server-brave-search"],
            env: [
              { name: "BRAVE_API_KEY", value: "BSA-literal" },
              { name: "APPDATA", value: "C:\\Users\\me\\AppData\\Roaming\\" },
            ],
          },
        },
      ],
    });
  });

  it("reads Claude Code's and Cursor's remote servers, with and without a type", async () => {
    const { servers } = await read({
      mcpServers: {
        sentry: { type: "http", url: "https://mcp.sentry.dev/mcp" },
        asana: { type: "sse", url: "https://mcp.asana.com/sse", headers: { "X-Key": ref("ASANA_KEY:-none") } },
        cursor: { url: "http://localhost:3000/mcp", headers: { Authorization: `Bearer ${ref("env:TOKEN")}` } },
        old: { url: "https://old.example/sse" },
      },
    });
    expect(servers.map(({ problems }) => problems)).toEqual([[], [], [], []]);
    expect(servers.map(({ settings }) => settings?.transport)).toEqual(["http", "sse", "http", "sse"]);
    expect(servers[2]?.settings).toMatchObject({
      headers: [{ name: "Authorization", value: `Bearer ${ref("env:TOKEN")}` }],
    });
    expect(servers[3]?.notes).toEqual([expect.stringContaining("ends in /sse")]);
  });

  it("reads VS Code's file, with comments and trailing commas, and says what its inputs become", async () => {
    const { servers, problems } = await parseImport(`{
      // asked for once
      "inputs": [{ "type": "promptString", "id": "github_token", "description": "Token", "password": true },],
      "servers": {
        "github": {
          "type": "http",
          "url": "https://api.githubcopilot.com/mcp/",
          "headers": { "Authorization": "Bearer ${ref("input:github_token")}" },
        },
        /* in the folder */
        "perl": { "type": "stdio", "command": "${ref("workspaceFolder")}/run.sh", "dev": { "watch": "*.ts" } },
      },
    }`);
    expect(problems).toEqual([]);
    const [github, perl] = servers;
    expect(github?.notes).toEqual([
      `headers.Authorization: ${ref("input:github_token")} (Token) was imported as ${ref("GITHUB_TOKEN")}; set that variable in Toolroom's environment, or enter the value in the form`,
    ]);
    expect(github?.problems).toEqual([]);
    expect(github?.settings).toMatchObject({
      url: "https://api.githubcopilot.com/mcp/",
      headers: [{ name: "Authorization", value: `Bearer ${ref("GITHUB_TOKEN")}` }],
    });
    expect(perl?.problems).toEqual([
      `command: ${ref("workspaceFolder")} is known to another program only: type the value instead`,
    ]);
    expect(perl?.notes).toEqual(["ignored: dev"]);
  });

  it.each([
    ["a settings.json with mcp.servers", { "editor.tabSize": 2, mcp: { servers: { one: { command: "x" } } } }],
    ["the dotted spelling", { "mcp.servers": { one: { command: "x" } } }],
    ["the servers alone", { one: { command: "x" } }],
    ["the servers alone beside something else", { inputs: [], one: { command: "x" } }],
    ["servers that are called like a section", { mcpServers: { one: { command: "x" } }, servers: {} }],
  ])("reads %s", async (_, json) => {
    expect(await only(json)).toMatchObject({
      name: "one",
      settings: { transport: "stdio", command: "x" },
      problems: [],
    });
  });

  it("reads a server that is called servers", async () => {
    expect(await only({ servers: { command: "x" } })).toMatchObject({ name: "servers", problems: [] });
  });

  it.each([
    [{ command: "npx", args: ["-y", "@modelcontextprotocol/server-memory@2026.8.31"] }, "server-memory"],
    [{ command: "npx.cmd", args: ["some-mcp@latest"] }, "some-mcp"],
    [{ command: "cmd", args: ["/c", "npx", "-y", "some-mcp"] }, "some-mcp"],
    [{ command: "cmd", args: ["/C", "npx", "-y", "some-mcp"] }, "some-mcp"],
    [{ command: "cmd", args: ["/d", "/s", "/k", "npx", "-y", "some-mcp"] }, "some-mcp"],
    [{ command: "uvx", args: ["mcp-server-git", "--repository", "."] }, "mcp-server-git"],
    [{ command: "uv", args: ["run", "server.py"] }, "server"],
    [{ command: "node", args: ["/opt/tools/build/weather.js"] }, "weather"],
    [
      { command: "docker", args: ["run", "-i", "--rm", "-e", "TOKEN", "ghcr.io/github/github-mcp-server:1.2"] },
      "github-mcp-server",
    ],
    [{ command: "/usr/local/bin/my server" }, "my-server"],
    [{ command: "npx" }, "npx"],
    [{ url: "https://mcp.example.com/mcp" }, "mcp-example-com"],
    [{ name: "given", url: "https://mcp.example.com/mcp" }, "given"],
  ])("calls the one server %j %s", async (json, name) => {
    const found = await only(json);
    expect(found.name).toBe(name);
    expect(found.settings?.name).toBe(name);
    expect(found.problems).toEqual([]);
  });
});

describe("names", () => {
  it("turns names into prefixes, says so, and keeps them apart", async () => {
    const { servers } = await read({
      mcpServers: Object.fromEntries(
        ["My Server!", "my__files", "a b", "a.b", "a-b", "new", "файлы", "x".repeat(80), "tail_"].map((name) => [
          name,
          { command: "x" },
        ]),
      ),
    });
    expect(servers.map(({ name }) => name)).toEqual([
      "My-Server",
      "my_files",
      "a-b-2",
      "a-b-3",
      "a-b",
      "new-server",
      "server",
      "x".repeat(50),
      "tail",
    ]);
    for (const { name, settings } of servers) {
      expect(name).toMatch(SERVER_NAME_PATTERN);
      expect(settings?.name).toBe(name);
    }
    expect(servers[0]?.notes[0]).toMatch(/^Renamed to 'My-Server': 'My Server!' is not 1–64 letters/);
    expect(servers[4]?.notes).toEqual([]);
    expect(servers[5]?.notes[0]).toContain("is reserved for an address of the console");
  });
});

describe("what is wrong with a server", () => {
  it.each([
    [{}, 'command or url: one of them is required; add "command" for a program or "url" for an address'],
    [{ type: "ws", url: "ws://x" }, 'type: "ws" is not known: use "stdio", "http", "sse" or "openapi"'],
    [{ type: "stdio" }, "command: is missing: add the program to start"],
    [{ command: 7 }, "command: must be a text: the program to start"],
    [{ command: "x", args: "-y" }, 'args: must be a list of strings such as ["-y", "package"]'],
    [{ command: "x", args: [["a"]] }, "args[0]: must be a string; put it in double quotes"],
    [{ command: "x", env: ["A=1"] }, "env: must be an object that maps names to strings"],
    [{ command: "x", env: { A: { b: 1 } } }, "env.A: must be a string; put it in double quotes"],
    [{ command: "x", env: { A: null } }, "env.A: must be a string; put it in double quotes"],
    [{ command: "x", env: { "": "1" } }, "env: a name is empty: give it one or remove it"],
    [{ url: "" }, "url: must be a text: the server's address, such as https://example.com/mcp"],
    [{ url: "https://x", auth: { type: "magic" } }, expect.stringMatching(/^auth\.type: /)],
  ])("%j: %s", async (fields, problem) => {
    expect(await entry(fields)).toMatchObject({ settings: null, problems: [problem] });
  });

  it("takes numbers and booleans for texts and says so, without repeating a value", async () => {
    const found = await entry({ command: "x", args: ["--port", 8080], env: { PIN: 123456, DEBUG: true } });
    expect(found.settings).toMatchObject({
      args: ["--port", "8080"],
      env: [
        { name: "PIN", value: "123456" },
        { name: "DEBUG", value: "true" },
      ],
    });
    expect(found.notes).toEqual([
      "args[1]: is a number; it was converted to a string",
      "env.PIN: is a number; it was converted to a string",
      "env.DEBUG: is a boolean; it was converted to a string",
    ]);
  });

  it("names what it does not import, and imports what is switched off as switched off", async () => {
    const found = await entry({ command: "x", disabled: true, alwaysAllow: [], timeout: 60, headers: {} });
    expect(found.problems).toEqual([]);
    expect(found.enabled).toBe(false);
    expect(found.settings).toMatchObject({ timeoutMs: 60_000 });
    expect(found.notes).toEqual([
      "timeout: 60 was read as seconds; change the time limit in the form if that is wrong",
      "Disabled in the configuration: it is imported disabled and does not start",
      "ignored: headers",
    ]);
  });

  it("keeps a client that an editor has registered by hand", async () => {
    const auth = { CLIENT_ID: "id", CLIENT_SECRET: "s", scopes: ["a", "b"] };
    expect(await entry({ url: "https://x/mcp", auth })).toMatchObject({
      problems: [],
      settings: { auth: { type: "oauth", clientId: "id", clientSecret: "s", scope: "a b" } },
    });
  });

  it.each([
    ["", "The text is empty: paste a configuration, such as an mcp.json"],
    ["[]", "The list holds no servers"],
    ["7", 'The text must be an object such as { "mcpServers": { … } }'],
    ['{"mcpServers": []}', "mcpServers holds no servers"],
    ['{"mcpServers": ["npx"]}', "mcpServers must be a list of servers, each an object"],
    ['{"mcpServers": 7}', "mcpServers must be an object from names to servers"],
    ['{"mcpServers": {}}', "mcpServers holds no servers"],
    [
      '{"hello": {"world": 1}}',
      'No servers were found: expected { "mcpServers": { "name": { "command" or "url": … } } }',
    ],
    ['{\n  "mcpServers": {\n    "a" {}\n  }\n}', "The text is not JSON: line 3, column 9: expected a colon"],
    [
      '{"a": {"command": "x"}} "more"',
      "The text is not JSON: line 1, column 25: nothing may follow the end of the object; remove what comes after it",
    ],
    [
      '{"a": {"command": "C:\\dir"}}',
      "The text is not JSON: line 1, column 19: this escape is not JSON; write a backslash in a path twice",
    ],
  ])("%j: %s", async (text, problem) => {
    expect(await parseImport(text)).toEqual({ servers: [], problems: [problem], notes: [] });
  });

  it("says how many servers were left out", async () => {
    const many = Object.fromEntries(Array.from({ length: 203 }, (_, index) => [`s${index}`, { command: "x" }]));
    const found = await read(many);
    expect(found.servers).toHaveLength(200);
    expect(found.problems).toEqual(["3 servers were left out: at most 200 at a time"]);
  });

  it("never throws, and what it calls settings has the right types", async () => {
    const fields = fc.constantFrom(
      "command",
      "args",
      "env",
      "url",
      "headers",
      "type",
      "cwd",
      "auth",
      "roots",
      "title",
      "__proto__",
    );
    const server = fc.dictionary(fields, fc.oneof(fc.constantFrom("x", "http", "stdio", ref("input:a")), jsonValues()));
    const text = fc.oneof(
      fc.string(),
      fc.dictionary(fc.string(), fc.oneof(server, jsonValues())).map((mcpServers) => JSON.stringify({ mcpServers })),
      jsonValues().map((value) => JSON.stringify(value)),
    );
    await fc.assert(
      fc.asyncProperty(text, async (pasted) => {
        const { servers, problems } = await parseImport(pasted);
        expect(servers.length + problems.length).toBeGreaterThan(0);
        expect(new Set(servers.map(({ name }) => name)).size).toBe(servers.length);
        for (const { name, settings, problems: faults } of servers) {
          expect(name).toMatch(SERVER_NAME_PATTERN);
          if (settings === null) expect(faults).not.toEqual([]);
          else expect(serverSettingsSchema.safeParse(settings).success).toBe(true);
        }
      }),
    );
  });
});
