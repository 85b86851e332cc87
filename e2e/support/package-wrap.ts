import { chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
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

/** Configurations as people have them: with comments, a trailing comma, tabs and CRLF. */
function writeFiles(home: string, servers: string): Map<string, string> {
  const [echo, paging] = ["echo", "paging"].map((name) => JSON.stringify(path.join(servers, `${name}.mjs`)));
  const texts = {
    ".config/Claude/claude_desktop_config.json": `{\r\n\t"theme": "dark",\r\n\t"mcpServers": {\r\n\t\t"teller": { "command": "node", "args": [${echo}], "env": { "SERVER_NAME": "kept-secret" } }\r\n\t}\r\n}\r\n`,
    ".cursor/mcp.json": `// mine\n{\n  "mcpServers": {\n    "pages": { "command": "node", "args": [${paging}] }, // all of it\n  },\n}`,
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
    ...{ command: program, args: words, cwd: home, stderr: "ignore" as const },
    env: { PATH, HOME: home, TMPDIR: home, ...env },
  };
}

/** `toolroom wrap`, two clients of both SDKs through the changed files, and `toolroom unwrap`. */
export async function proveWrap(packed: PackedToolroom): Promise<void> {
  const home = packed.createFolder("wanda");
  const files = writeFiles(home, packed.addFile("e2e/support/mcp-servers"));
  const [claude = "", cursor = ""] = files.keys();
  const say = async (...words: string[]) => {
    const ended = await packed.run(packed.command, words, home);
    expect(ended, words.join(" ")).toEqual({ code: 0, output: expect.any(String) });
    return ended.output;
  };
  expect(await say("wrap", "--yes")).toMatch(/Claude Desktop .*teller[\s\S]*Cursor .*pages/);

  // Nothing runs yet: the first entry starts Toolroom, the second one finds it.
  const first = new FirstClient({ name: "wrapped-first", version: "1" });
  await first.connect(new FirstTransport(toTransport(claude, home)));
  expect(await first.callTool({ name: "who", arguments: {} })).toMatchObject({ content: [{ text: "kept-secret" }] });
  const second = new Client({ name: "wrapped-second", version: "1" });
  await second.connect(new StdioClientTransport(toTransport(cursor, home)));
  const { content } = await second.callTool({ name: "tool_1", arguments: {} });
  expect(content).toEqual([{ type: "text", text: "one" }]);

  const { items } = JSON.parse(await say("executions", "list", "--json")) as { items: Record<string, unknown>[] };
  expect(items.slice(0, 2)).toMatchObject([
    { toolName: "pages__tool_1", client: "wrapped-second/1", status: "succeeded" },
    { toolName: "teller__who", client: "wrapped-first/1", status: "succeeded" },
  ]);
  await second.close();
  await first.close();

  expect(await say("unwrap")).toContain("restored byte for byte");
  for (const [file, text] of files) expect(readFileSync(file, "utf8")).toBe(text);
}
