import { describe, expect, it } from "vitest";
import { openImport } from "./parse-import.test-support";

const parseImport = openImport();
const ref = (inside: string): string => `\${${inside}}`;

async function one(text: string) {
  const { servers, problems } = await parseImport(text);
  expect(problems).toEqual([]);
  expect(servers).toHaveLength(1);
  const [server] = servers;
  if (server === undefined) throw new Error("no server");
  return server;
}

describe("commands that add a server to a client", () => {
  it.each([
    [
      "claude mcp add --transport http notion https://mcp.notion.com/mcp",
      { name: "notion", settings: { transport: "http", url: "https://mcp.notion.com/mcp" } },
    ],
    [
      "claude mcp add --transport sse --scope user asana https://mcp.asana.com/sse",
      { name: "asana", settings: { transport: "sse" } },
    ],
    [
      'claude mcp add --transport http api https://api.example.com/mcp --header "Authorization: Bearer $TOKEN" -H "X-Team: blue"',
      {
        name: "api",
        settings: {
          headers: [
            { name: "Authorization", value: `Bearer ${ref("TOKEN")}` },
            { name: "X-Team", value: "blue" },
          ],
        },
      },
    ],
    [
      "claude mcp add airtable --env AIRTABLE_API_KEY=KEY TEAM=1 -- npx -y airtable-mcp-server --verbose",
      {
        name: "airtable",
        settings: {
          transport: "stdio",
          command: "npx",
          args: ["-y", "airtable-mcp-server", "--verbose"],
          env: [
            { name: "AIRTABLE_API_KEY", value: "KEY" },
            { name: "TEAM", value: "1" },
          ],
        },
      },
    ],
    ["claude mcp add my-server -e A=b=c -- /path/to/server arg1", { settings: { env: [{ name: "A", value: "b=c" }] } }],
    [
      "$ claude mcp add files npx -y server-filesystem /srv",
      { settings: { args: ["-y", "server-filesystem", "/srv"] } },
    ],
    [
      `claude mcp add-json weather '{"type":"stdio","command":"/path/weather","args":["--key","a b"],"env":{"K":"1"}}' -s user`,
      { name: "weather", settings: { command: "/path/weather", args: ["--key", "a b"] } },
    ],
    [
      "claude mcp add --transport=http \\\n  --header 'X: 1' \\\n  long https://long.example/mcp",
      { name: "long", settings: { url: "https://long.example/mcp", headers: [{ name: "X", value: "1" }] } },
    ],
    [
      "codex mcp add context7 --env KEY=v -- npx -y @upstash/context7-mcp",
      { name: "context7", settings: { command: "npx", env: [{ name: "KEY", value: "v" }] } },
    ],
    [
      "codex mcp add figma --url https://mcp.figma.com/mcp --bearer-token-env-var FIGMA_TOKEN",
      { name: "figma", settings: { headers: [{ name: "Authorization", value: `Bearer ${ref("FIGMA_TOKEN")}` }] } },
    ],
    [
      "gemini mcp add -s user -e K=v --timeout 5000 --include-tools a,b py python server.py --port 8080",
      {
        name: "py",
        settings: {
          command: "python",
          args: ["server.py", "--port", "8080"],
          timeoutMs: 5000,
          toolFilter: { mode: "only", names: ["a", "b"] },
        },
      },
    ],
    [
      `code --add-mcp '{"name":"play","command":"npx","args":["@playwright/mcp@latest"]}'`,
      { name: "play", settings: { command: "npx", args: ["@playwright/mcp@latest"] } },
    ],
    [
      "claude mcp add --transport http “quoted” https://q.example/mcp",
      { name: "quoted", settings: { url: "https://q.example/mcp" } },
    ],
  ])("reads %s", async (text, expected) => {
    const server = await one(text);
    expect(server).toMatchObject(expected);
    expect(server.problems).toEqual([]);
  });

  it.each([
    [
      "$ npx -y @scope/server-files@1.0 '/my files'",
      "server-files",
      { command: "npx", args: ["-y", "@scope/server-files@1.0", "/my files"] },
    ],
    [
      "KEY=$SECRET uvx mcp-server-git",
      "mcp-server-git",
      { command: "uvx", env: [{ name: "KEY", value: ref("SECRET") }] },
    ],
    ["https://mcp.example.com/mcp", "mcp-example-com", { transport: "http", url: "https://mcp.example.com/mcp" }],
  ])("reads the command or the address of a server alone: %s", async (text, name, settings) => {
    expect(await one(text)).toMatchObject({ name, settings, problems: [] });
  });

  it("reads several commands between comments, and what they ignore is said", async () => {
    const { servers, problems } = await parseImport(
      "# our servers\nclaude mcp add --transport http a https://a.example/mcp --callback-port 8080\n# local\nclaude mcp add b -- b-mcp\nclaude mcp list\n",
    );
    expect(problems).toEqual([]);
    expect(servers.map(({ name, notes }) => [name, notes])).toEqual([
      ["a", ["ignored: --callback-port"]],
      ["b", []],
    ]);
  });

  it("names what is missing or not closed", async () => {
    expect((await one("claude mcp add files")).problems).toEqual([
      'command or url: one of them is required; add "command" for a program or "url" for an address',
    ]);
    expect((await one('claude mcp add files -- npx "server')).problems).toEqual([
      "The command: a quote is not closed; add the missing quote",
    ]);
    expect((await one("claude mcp add-json weather")).problems).toEqual([
      "The command: the JSON of the server is missing; put it in single quotes",
    ]);
    expect((await one('claude mcp add-json weather {"command": "x"}')).problems[0]).toContain(
      "put the JSON in single quotes",
    );
  });

  it("does not take a command inside a file for the file", async () => {
    const server = await one('{"mcpServers": {"a": {"command": "x",\n"cwd": "\\nclaude mcp add b -- c"}}}');
    expect(server).toMatchObject({ name: "a" });
  });

  it("refuses a command of a megabyte at once", { timeout: 10_000 }, async () => {
    const long = `claude mcp add x ${"-e A=B ".repeat(140_000)}`;
    for (const text of [long, `npx ${"a ".repeat(400_000)}`]) {
      const { servers, problems } = await parseImport(text);
      expect(servers).toEqual([]);
      expect(problems).toEqual([expect.stringContaining("The command is longer than")]);
    }
  });

  it("reads a megabyte of inputs that are not closed without delay", { timeout: 10_000 }, async () => {
    const args = ["${input:".repeat(100_000)];
    const { servers } = await parseImport(JSON.stringify({ mcpServers: { a: { command: "x", args } } }));
    expect(servers).toHaveLength(1);
  });
});
