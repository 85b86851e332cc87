import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { PassThrough, Readable } from "node:stream";
import { Command } from "commander";
import { beforeEach, describe, expect, it } from "vitest";
import { openImport } from "../../features/servers/import/parse-import.test-support";
import { readEntry } from "./bridge-command";
import { readClientFile } from "./client-files";
import type { Machine } from "./clients";
import { CLIENTS } from "./clients";
import { repairClients, tryCommand } from "./repair-clients";
import { MemoryCatalog, makeMachine } from "./wrap.test-support";
import { registerWrapCommands } from "./wrap-commands";
import type { WrapIo } from "./wrap-io";

/** In every format, and in every way that clients write a command. */
const FILES = {
  ".cursor/mcp.json":
    '// mine\r\n{\r\n\t"mcpServers": {\r\n\t\t"files": { "command": "files-mcp" }, // all\r\n\t}\r\n}',
  ".claude.json":
    '{"mcpServers":{"a":{"command":"a-mcp"}},"projects":{"PROJECT":{"mcpServers":{"b":{"command":"b-mcp"}}}}}',
  ".codex/config.toml":
    'model = "x"\n\n[mcp_servers.files]\ncommand = "files-mcp"\n\n[mcp_servers.files.env]\nA = "1"\n\n[other]\nx = 1\n',
  ".config/goose/config.yaml":
    "extensions:\n  # mine\n  files:\n    type: stdio\n    cmd: files-mcp\n    args: []\n    enabled: true\nmore: 1\n",
  ".config/opencode/opencode.json": '{\n  "mcp": { "files": { "type": "local", "command": ["files-mcp", "x"] } }\n}\n',
};

let machine: Machine;
let originals: Map<string, string>;
const catalog = new MemoryCatalog(openImport());
const at = (file: string): string => path.join(machine.homeFolder, file);
const read = (file: string): string => readFileSync(at(file), "utf8");

/** A clone with its data inside, whose script says that it started. */
function makeClone(name: string): string {
  const home = at(name);
  mkdirSync(path.join(home, "scripts"), { recursive: true });
  mkdirSync(path.join(home, "data"));
  writeFileSync(path.join(home, "scripts/mcp.mjs"), "");
  writeFileSync(path.join(home, "data/toolroom.db"), "");
  return home;
}

function createIo(rootDir: string, stdout = new PassThrough().resume()): WrapIo {
  const env = { HOME: machine.homeFolder, USERPROFILE: machine.homeFolder, TOOLROOM_HOME: rootDir };
  const stdin = Object.assign(Readable.from([]), { isTTY: false });
  return { stdin, stdout, env, cwd: machine.workFolder, rootDir, openCatalog: async () => catalog };
}

async function run(rootDir: string, words: string): Promise<void> {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  registerWrapCommands(program, createIo(rootDir));
  await program.parseAsync(words.split(" "), { from: "user" });
}

/** Every entry of Toolroom in a file, as its client starts it. */
function listEntries(file: string) {
  return CLIENTS.flatMap((client) => {
    if (!client.files(machine).includes(at(file))) return [];
    const found = readClientFile(client, at(file), machine);
    if ("reason" in found) throw new Error(found.reason);
    return found.sections.flatMap(({ servers }) =>
      servers.flatMap(({ name, value }) => (name === "toolroom" ? [readEntry(value)] : [])),
    );
  });
}

beforeEach(() => {
  machine = makeMachine();
  mkdirSync(machine.workFolder);
  originals = new Map();
  for (const [file, text] of Object.entries(FILES)) {
    const written = text.replace("PROJECT", machine.workFolder);
    originals.set(file, written);
    mkdirSync(path.dirname(at(file)), { recursive: true });
    writeFileSync(at(file), written);
  }
});

const expectRestored = async (rootDir: string): Promise<void> => {
  await run(rootDir, "unwrap");
  for (const [file, text] of originals) expect([file, read(file)]).toEqual([file, text]);
};

describe("the check of wrapped clients", () => {
  it("changes nothing where every entry starts", async () => {
    const clone = makeClone("clone");
    await run(clone, "wrap --yes");
    const before = [...originals.keys()].map(read);
    const checked = await repairClients(createIo(clone));
    expect(checked.map(({ client, result, detail }) => [client, result, detail])).toEqual(
      ["claude-code", "cursor", "codex", "opencode", "goose"].map((client) => [client, "ok", null]),
    );
    expect([...originals.keys()].map(read)).toEqual(before);
    await expectRestored(clone);
  });

  it("leads entries to a clone that was moved with its data, and unwrap gives each byte back", async () => {
    const clone = makeClone("clone");
    await run(clone, "wrap --yes");
    const moved = at("moved");
    renameSync(clone, moved);
    for (const file of originals.keys()) {
      for (const { command, args } of listEntries(file))
        expect(await tryCommand(command, args[0] ?? "")).not.toBeNull();
    }
    const checked = await repairClients(createIo(moved));
    expect(checked.map(({ result }) => result)).toEqual(checked.map(() => "repaired"));
    expect(checked[0]?.detail).toBe(`${clone}/scripts/mcp.mjs is gone`);
    for (const file of originals.keys()) {
      const entries = listEntries(file);
      expect([file, entries.length]).toEqual([file, file === ".claude.json" ? 2 : 1]);
      for (const { command, args } of entries) {
        expect(args[0]).toBe(`${moved}/scripts/mcp.mjs`);
        expect(args).toContain("--servers");
        expect(await tryCommand(command, args[0] ?? "")).toBeNull();
      }
    }
    expect((await repairClients(createIo(moved))).map(({ result }) => result)).toEqual(checked.map(() => "ok"));
    await expectRestored(moved);
  });

  it("names this Node where the one of an entry is gone, keeps what the user added, and restores the servers", async () => {
    const clone = makeClone("clone");
    await run(clone, "wrap cursor --yes");
    const old = at("node-20/bin/node");
    const added = read(".cursor/mcp.json")
      .replace(JSON.stringify(realpathSync(process.execPath)), JSON.stringify(old))
      .replace('"args"', '"env": { "TOOLROOM_API_TOKEN": "mine" },\r\n\t\t\t"args"');
    writeFileSync(at(".cursor/mcp.json"), added);
    const [checked] = await repairClients(createIo(clone));
    expect(checked).toMatchObject({ result: "repaired", detail: `${old} is gone` });
    const [entry] = listEntries(".cursor/mcp.json");
    expect(entry).toMatchObject({ command: realpathSync(process.execPath), env: { TOOLROOM_API_TOKEN: "mine" } });
    expect(read(".cursor/mcp.json")).toContain("// all");
    await run(clone, "unwrap");
    expect(read(".cursor/mcp.json")).toContain('"files": { "command": "files-mcp" }');
  });

  it("leads data that were moved, and an entry in a cache, to where they are now", async () => {
    const cached = makeClone("cache/_npx/1/node_modules/toolroom");
    writeFileSync(path.join(cached, "package.json"), '{"version":"1.0.0","type":"module"}');
    const data = at("share");
    mkdirSync(data);
    const databaseIn = (folder: string) => ({ DATABASE_URL: `file:${folder}/toolroom.db` });
    const io = (folder: string): WrapIo => {
      const base = createIo(cached);
      return { ...base, env: { ...base.env, ...databaseIn(folder) } };
    };
    const program = new Command().exitOverride();
    registerWrapCommands(program, io(data));
    await program.parseAsync(["wrap", "cursor", "--yes"], { from: "user" });
    const place = () => listEntries(".cursor/mcp.json").map(({ args, env }) => [args[0], env]);
    expect(place()).toEqual([[`${data}/program/mcp.mjs`, databaseIn(data)]]);
    // The cache is cleaned: the copy starts.
    renameSync(cached, at("elsewhere"));
    expect(await tryCommand(process.execPath, `${data}/program/mcp.mjs`)).toBeNull();
    renameSync(at("elsewhere"), cached);
    renameSync(data, at("other"));
    const [checked] = await repairClients(io(at("other")));
    expect(checked?.result).toBe("repaired");
    expect(checked?.detail).toBe(
      `${data}/program/mcp.mjs is gone, DATABASE_URL leads to file:${data}/toolroom.db, which is gone`,
    );
    expect(place()).toEqual([[`${at("other")}/program/mcp.mjs`, databaseIn(at("other"))]]);
    // Without the program's copy, one is made.
    rmSync(at("other/program"), { recursive: true });
    expect((await repairClients(io(at("other")))).map(({ result }) => result)).toEqual(["ok"]);
    expect(existsSync(at("other/program/mcp.mjs"))).toBe(true);
  });

  it("says what it cannot repair, and what is wrapped no more", async () => {
    const clone = makeClone("clone");
    await run(clone, "wrap --yes");
    writeFileSync(at(".cursor/mcp.json"), "{ broken");
    writeFileSync(at(".claude.json"), "{}");
    writeFileSync(path.join(clone, "scripts/mcp.mjs"), 'console.error("Toolroom needs Node 99");process.exit(1);');
    const checked = await repairClients(createIo(clone));
    const byClient = Object.fromEntries(checked.map(({ client, ...rest }) => [client, rest]));
    expect(byClient.cursor).toMatchObject({ result: "failed", detail: expect.stringContaining("cannot be read") });
    expect(byClient["claude-code"]).toMatchObject({ result: "unwrapped" });
    expect(byClient.codex).toMatchObject({ result: "failed", detail: expect.stringContaining("needs Node 99") });
  });

  it.skipIf(process.platform === "win32")("keeps a link to the file of a client", async () => {
    const clone = makeClone("clone");
    renameSync(at(".cursor/mcp.json"), at("dotfile"));
    symlinkSync(at("dotfile"), at(".cursor/mcp.json"));
    await run(clone, "wrap cursor --yes");
    renameSync(clone, at("moved"));
    expect((await repairClients(createIo(at("moved")))).map(({ result }) => result)).toEqual(["repaired"]);
    expect(read("dotfile")).toContain(`${at("moved")}/scripts/mcp.mjs`);
    expect(realpathSync(at(".cursor/mcp.json"))).toBe(realpathSync(at("dotfile")));
  });
});
