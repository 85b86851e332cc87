import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { parse } from "jsonc-parser";
import { expect } from "./fixtures";
import { OTHER_USER, type PackedToolroom } from "./package";

interface Entry {
  command: string;
  args: string[];
  env?: Record<string, string>;
}

/** Configurations as users have them: with comments, a trailing comma, tabs and CRLF. */
function writeFiles(home: string, servers: string): Map<string, string> {
  const [echo, late] = ["echo", "late"].map((name) => JSON.stringify(path.join(servers, `${name}.mjs`)));
  const texts = {
    ".config/Claude/claude_desktop_config.json": `{\r\n\t"theme": "dark",\r\n\t"mcpServers": {\r\n\t\t"teller": { "command": "node", "args": [${echo}], "env": { "SERVER_NAME": "kept-secret" } }\r\n\t}\r\n}\r\n`,
    ".cursor/mcp.json": `// mine\n{\n  "mcpServers": {\n    "pages": { "command": "node", "args": [${late}] }, // all of it\n  },\n}`,
  };
  const files = Object.entries(texts).map(([name, text]): [string, string] => [path.join(home, name), text]);
  const { uid, gid } = OTHER_USER;
  for (const [file, text] of files) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (uid === undefined || gid === undefined) continue;
    for (let each = file; each !== home; each = path.dirname(each)) chownSync(each, uid, gid);
  }
  return new Map(files);
}

/** As a client starts it, but as the user whose home it is. */
function toTransport(file: string, home: string) {
  const { mcpServers } = parse(readFileSync(file, "utf8"), [], { allowTrailingComma: true }) as {
    mcpServers: Record<string, Entry>;
  };
  expect(Object.keys(mcpServers)).toEqual(["toolroom"]);
  const { command = "", args = [], env = {} } = mcpServers.toolroom ?? {};
  const { uid, gid } = OTHER_USER;
  const user = uid === undefined ? [] : ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
  const [program = "", ...words] = [...user, command, ...args];
  const { PATH = "" } = process.env;
  return {
    command: program,
    args: words,
    cwd: home,
    stderr: "ignore" as const,
    env: { PATH, HOME: home, TMPDIR: home, ...env },
  };
}

/** Lines of a server that starts, or of its log. */
const SERVER_OUTPUT = /Toolroom is ready|starting one|^\{/m;
const LATE_TOOLS = ["tool_1", "tool_2", "tool_3"];

/** Runs a command that has to succeed. */
async function say(packed: PackedToolroom, command: string, words: string[], home: string, env = {}): Promise<string> {
  const ended = await packed.run(command, words, home, env);
  expect(ended, words.join(" ")).toEqual({ code: 0, output: expect.any(String) });
  return ended.output;
}

async function connectFirst(file: string, home: string): Promise<FirstClient> {
  const client = new FirstClient({ name: "wrapped-first", version: "1" });
  await client.connect(new FirstTransport(toTransport(file, home)));
  return client;
}

const listNames = async (client: { listTools(): Promise<{ tools: { name: string }[] }> }): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);

/** `toolroom wrap`, two clients of both SDKs through the changed files, and `toolroom unwrap`. */
export async function proveWrap(packed: PackedToolroom): Promise<void> {
  const home = packed.createFolder("wanda");
  const files = writeFiles(home, packed.addFile("e2e/support/mcp-servers"));
  const [claude = "", cursor = ""] = files.keys();
  const data = path.join(home, ".local/share/toolroom");
  const run = (...words: string[]): Promise<string> => say(packed, packed.command, words, home);
  expect(await run("wrap", "--dry-run")).not.toMatch(SERVER_OUTPUT);
  expect(existsSync(data)).toBe(false);
  const said = await run("wrap", "--yes");
  expect(said).toMatch(/Claude Desktop .*teller[\s\S]*Cursor .*pages/);
  expect(said).not.toMatch(SERVER_OUTPUT);

  // Nothing runs yet: the first entry starts Toolroom and the servers, the second one finds it.
  const second = new Client({ name: "wrapped-second", version: "1" });
  await second.connect(new StdioClientTransport(toTransport(cursor, home)));
  expect(await listNames(second)).toEqual(LATE_TOOLS);
  const first = await connectFirst(claude, home);
  expect(await listNames(first)).toEqual(expect.arrayContaining(["echo", "tell_secret", "who"]));
  expect(await listNames(first)).not.toEqual(expect.arrayContaining(["tool_1"]));
  expect(await first.callTool({ name: "who", arguments: {} })).toMatchObject({ content: [{ text: "kept-secret" }] });
  const { content } = await second.callTool({ name: "tool_1", arguments: {} });
  expect(content).toEqual([{ type: "text", text: "one" }]);

  const { items } = JSON.parse(await run("executions", "list", "--json")) as { items: Record<string, unknown>[] };
  expect(items.slice(0, 2)).toMatchObject([
    { toolName: "pages__tool_1", client: "wrapped-second/1", status: "succeeded" },
    { toolName: "teller__who", client: "wrapped-first/1", status: "succeeded" },
  ]);
  await first.close();
  await second.close();

  // After a restart the stored list is given, before its server has started.
  const again = await connectFirst(cursor, home);
  expect(await listNames(again)).toEqual(LATE_TOOLS);
  const { code, output } = await packed.run(packed.command, ["servers", "list", "--json"], home);
  expect([
    code,
    JSON.parse(output)
      .items.map(({ name }: { name: string }) => name)
      .sort(),
  ]).toEqual([0, ["pages", "teller"]]);
  await again.close();

  const unwrapped = await run("unwrap", "--yes");
  expect(unwrapped).toContain("restored byte for byte");
  expect(unwrapped).not.toMatch(SERVER_OUTPUT);
  for (const [file, text] of files) expect(readFileSync(file, "utf8")).toBe(text);
}

/** The entry of a client that `npx` wrapped: without the cache of `npx`, after an upgrade, and where the program is gone. */
export async function proveKeptEntry(packed: PackedToolroom): Promise<void> {
  const home = packed.createFolder("nora");
  const files = writeFiles(home, packed.addFile("e2e/support/mcp-servers"));
  const [claude = ""] = files.keys();
  const cache = path.join(home, "cache");
  const env = { npm_config_cache: cache, npm_config_update_notifier: "false" };
  await say(packed, "npx", ["--offline", "-y", `file:${packed.file}`, "wrap", "--yes"], home, env);
  const program = path.join(home, ".local/share/toolroom/program");
  expect(toTransport(claude, home).args).toContain(path.join(program, "mcp.mjs"));
  rmSync(cache, { recursive: true, force: true });
  const proveCall = async (): Promise<void> => {
    const client = await connectFirst(claude, home);
    expect(await client.callTool({ name: "who", arguments: {} })).toMatchObject({ content: [{ text: "kept-secret" }] });
    await client.close();
  };
  await proveCall();

  // The database of the next version is refused by the program that wrapped.
  const sql = 'CREATE TABLE "Later" ("id" TEXT NOT NULL PRIMARY KEY);';
  const next = packed.addNextVersion("29990101000000_later", sql);
  const upgraded = await packed.start(next, ["--port", "0"], home);
  await upgraded.stop();
  await proveCall();

  rmSync(program, { recursive: true, force: true });
  await expect(connectFirst(claude, home)).rejects.toThrow();
  const doctor = await say(packed, next, ["doctor"], home);
  expect(doctor).toMatch(/claude-desktop .* repaired: .*program\/mcp\.mjs is gone[\s\S]*Nothing is wrong/);
  await proveCall();
  await say(packed, next, ["unwrap"], home);
  for (const [file, text] of files) expect(readFileSync(file, "utf8")).toBe(text);
}
