import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text as readStream } from "node:stream/consumers";
import { Command } from "commander";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openCommandCatalog } from "../../../../scripts/catalog-access.mjs";
import Sqlite from "../../../../scripts/sqlite.mjs";
import { createContainer } from "../../main/container";
import { readEnv } from "../../main/env";
import { openCatalog } from "../../main/open-catalog";
import { serveRest } from "../commands.test-support";
import { readServers } from "./bridge-command";
import { registerWrapCommands } from "./wrap-commands";
import type { WrapIo } from "./wrap-io";

const ROOT = path.resolve(import.meta.dirname, "../../../..");
const MEMORY = path.join(ROOT, "node_modules/@modelcontextprotocol/server-memory/dist/index.js");
const BROKEN = `"ends": { "command": ${JSON.stringify(process.execPath)}, "args": ["-e", "console.error('no key'); process.exit(3)"] }`;
const ABSENT = `"absent": { "command": "no-such-program-of-toolroom" }`;
const OFF = `"off": { "command": "no-such-program-either", "disabled": true }`;
const TEXT = `{
  // mine
  "mcpServers": {
    "memory": { "command": ${JSON.stringify(process.execPath)}, "args": [${JSON.stringify(MEMORY)}] },
    ${BROKEN}, // why?
    ${ABSENT},
    ${OFF}
  }
}
`;

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
  vi.unstubAllEnvs();
});

/** A home folder with a client's file, and the import at its database or through a Toolroom that uses it. */
async function open(isRunning: boolean) {
  const home = mkdtempSync(path.join(tmpdir(), "toolroom-wrap-connections-"));
  const file = path.join(home, ".cursor/mcp.json");
  mkdirSync(path.dirname(file));
  writeFileSync(file, TEXT);
  writeFileSync(path.join(home, "toolroom.json"), "{}");
  const database = path.join(home, "data/toolroom.db");
  const env = {
    HOME: home,
    USERPROFILE: home,
    DATABASE_URL: `file:${database}`,
    TOOLROOM_CONFIG: path.join(home, "toolroom.json"),
    PATH: process.env.PATH,
    TOOLROOM_LOG_LEVEL: "silent",
    TOOLROOM_SHUTDOWN_GRACE_MS: "50",
  };
  let open: WrapIo["openCatalog"] = ({ create, databaseUrl = env.DATABASE_URL }) =>
    openCatalog(readEnv({ ...env, DATABASE_URL: databaseUrl }), { create });
  if (isRunning) {
    const container = await createContainer(readEnv(env));
    const { url, close } = await serveRest(container);
    ended.push(() => container.close(), close);
    vi.stubEnv("TOOLROOM_URL", url);
    open = openCommandCatalog;
  }
  async function run(...words: string[]): Promise<{ said: string; error: unknown }> {
    const stdout = new PassThrough();
    const program = new Command().exitOverride();
    const stdin = Readable.from([]);
    registerWrapCommands(program, { stdin, stdout, env, cwd: home, rootDir: ROOT, openCatalog: open });
    let error: unknown = null;
    await program.parseAsync(words, { from: "user" }).catch((thrown: unknown) => {
      error = thrown;
    });
    stdout.end();
    return { said: await readStream(stdout), error };
  }
  function listStored(): { name: string; tools: number }[] {
    const raw = new Sqlite(database, { readonly: true });
    const names = raw.prepare(`SELECT "name" FROM "McpServer" WHERE "deletedAt" IS NULL ORDER BY "name"`).all();
    const states = raw.prepare(`SELECT "name", "tools" FROM "McpServerState"`).all() as Record<string, string>[];
    raw.close();
    const count = new Map(states.map(({ name, tools }) => [name, (JSON.parse(tools ?? "[]") as unknown[]).length]));
    return (names as { name: string }[]).map(({ name }) => ({ name, tools: count.get(name) ?? 0 }));
  }
  return { file, run, listStored };
}

describe.each([
  ["at the database of a Toolroom that does not run", false],
  ["through a Toolroom that runs", true],
] as const)("servers are connected before they move, %s", (_, isRunning) => {
  it("and those that fail stay in the client's file as they were written, with the reason, and not in Toolroom", async () => {
    const { file, run, listStored } = await open(isRunning);
    const { said, error } = await run("wrap", "--yes");
    expect(error).toMatchObject({
      exitCode: 1,
      message: "2 servers did not connect, so that their clients keep them: ends, absent.",
    });
    expect(said).toMatch(/stay {4}ends {2}did not connect: .*no key/);
    expect(said).toMatch(/stay {4}absent {2}did not connect: .*'no-such-program-of-toolroom' was not found/);
    const text = readFileSync(file, "utf8");
    for (const kept of ["// mine", `${BROKEN}, // why?`, ABSENT]) expect(text).toContain(kept);
    const { mcpServers } = JSON.parse(text.replace(/\/\/.*$/gm, ""));
    expect(Object.keys(mcpServers).sort()).toEqual(["absent", "ends", "toolroom"]);
    expect(readServers(mcpServers.toolroom)).toEqual(["memory", "off"]);
    const [memory, off, ...more] = listStored();
    expect([memory?.name, off, more]).toEqual(["memory", { name: "off", tools: 0 }, []]);
    // Its tools are known before the client asks for the first time.
    expect(memory?.tools).toBeGreaterThan(3);
    expect((await run("unwrap")).said).toContain("restored byte for byte");
    expect(readFileSync(file, "utf8")).toBe(TEXT);
  }, 60_000);

  it("and --no-wait moves all of them", async () => {
    const { file, run, listStored } = await open(isRunning);
    expect((await run("wrap", "--yes", "--no-wait")).error).toBeNull();
    expect(listStored().map(({ name }) => name)).toEqual(["absent", "ends", "memory", "off"]);
    await run("unwrap");
    expect(readFileSync(file, "utf8")).toBe(TEXT);
  }, 60_000);
});
