import { describe, expect, it } from "vitest";
import type { ServerImport } from "../../../../lib/contract/server-import";
import { openImport } from "./parse-import.test-support";

const parseImport = openImport();

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

describe("other clients", () => {
  it("reads Claude Code's user file, with the servers of its projects", async () => {
    const servers = await read(`{
      "numStartups": 3,
      "mcpServers": { "files": { "type": "stdio", "command": "files-mcp", "args": [], "env": {} } },
      "projects": { "/srv/app": { "mcpServers": { "files": { "command": "other" }, "db": { "command": "db-mcp" } } }, "/srv/b": {} }
    }`);
    expect(servers.map(({ name }) => name)).toEqual(["files", "files-2", "db"]);
    expect(servers[2]?.notes).toEqual(["From the project /srv/app"]);
  });

  it("reads the dotted section of Amp, and Toolroom's own fields", async () => {
    const { settings, notes } = await one(
      `{"amp.mcpServers": {"a": {"command": "x", "icon": "a.png", "timeoutMs": 5, "timeout": 9, "approval": "never", "toolFilter": {"mode": "only", "names": ["r"]}, "disabledTools": ["w"]}}}`,
    );
    expect(settings).toMatchObject({ timeoutMs: 5, approval: "never", toolFilter: { mode: "only", names: ["r"] } });
    expect(notes).toContain("approval: none of its tools will require approval");
    expect(notes.at(-1)).toBe("ignored: icon");
  });

  it("reads LibreChat's YAML", async () => {
    const servers = await read(`version: 1.2.1
mcpServers:
  everything:
    url: http://localhost:3001/sse
    timeout: 30000
    initTimeout: 10000
  puppeteer:
    type: stdio
    command: npx
    args:
      - -y
      - '@modelcontextprotocol/server-puppeteer'
    serverInstructions: 'Do not access local addresses'
`);
    expect(servers[0]?.settings).toMatchObject({ transport: "sse", timeoutMs: 30_000, connectTimeoutMs: 10_000 });
    expect(servers[1]?.notes).toEqual(["ignored: serverInstructions"]);
  });

  it("leaves variables of a shell's script, prices, patterns and lower-case words alone", async () => {
    const { settings, notes } = await one(
      JSON.stringify({
        command: "/bin/bash",
        args: ["-c", "cd $HOME && node x.js"],
        env: { A: "$5", B: "^a$", C: "US$TOKEN", D: "$token", E: "$$TOKEN", F: "x$HOME" },
      }),
    );
    expect(settings).toMatchObject({
      args: ["-c", "cd $HOME && node x.js"],
      env: ["$5", "^a$", "US$TOKEN", "$token", "$$TOKEN", "x$HOME"].map((value) => ({ value })),
    });
    expect(notes.filter((note) => note.includes("was imported as"))).toEqual([]);
  });

  it("refuses limits and tool lists of the wrong type by their field", async () => {
    const { servers } = await parseImport(
      '{"mcpServers": {"a": {"command": "x", "timeout": "60"}, "b": {"command": "x", "disabledTools": "write"}, "c": {"command": "x", "startup_timeout_sec": 9000, "tool_timeout_sec": 0}}}',
    );
    expect(servers.map(({ problems }) => problems)).toEqual([
      ["timeout: must be a number; remove the quotes, or remove the field"],
      ['disabledTools: must be a list of tool names such as ["read_file"]'],
      [],
    ]);
    expect(servers[2]?.notes).toEqual([
      "tool_timeout_sec: 0 is not a valid limit; Toolroom's default applies",
      "startup_timeout_sec: was changed to 600000 ms, the closest limit that Toolroom allows",
    ]);
  });
});
