import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text as readStream } from "node:stream/consumers";
import { Command } from "commander";
import { beforeEach, describe, expect, it } from "vitest";
import { openImport } from "../../features/servers/import/parse-import.test-support";
import { readServers } from "./bridge-command";
import type { Machine } from "./clients";
import { MemoryCatalog, makeMachine } from "./wrap.test-support";
import { registerWrapCommands } from "./wrap-commands";
import type { WrapIo } from "./wrap-io";

const parse = openImport();
const NODE = realpathSync(process.execPath);
const CURSOR =
  '{\n  "mcpServers": {\n    "files": { "command": "files-mcp" },\n    "notes": { "url": "https://notes.example/mcp" }\n  }\n}\n';
const CODEX = '[mcp_servers.files]\ncommand = "files-mcp"\n';

let machine: Machine;
let catalog: MemoryCatalog;
let database: string;
const at = (file: string): string => path.join(machine.homeFolder, file);
const read = (file: string): string => readFileSync(at(file), "utf8");

function write(file: string, text: string): void {
  mkdirSync(path.dirname(at(file)), { recursive: true });
  writeFileSync(at(file), text);
}

beforeEach(() => {
  machine = makeMachine();
  catalog = new MemoryCatalog(parse);
  mkdirSync(machine.workFolder);
  mkdirSync(at("data"));
  database = at("data/toolroom.db");
  writeFileSync(database, "");
});

/** @param answer what the user types where the command asks; null: there is no terminal */
async function run(
  words: string,
  answer: string | null = null,
  openCatalog: WrapIo["openCatalog"] = async () => catalog,
  more: Record<string, string> = {},
  signal?: AbortSignal,
  stdout = new PassThrough(),
): Promise<string> {
  const stdin = Object.assign(Readable.from(answer === null ? [] : [`${answer}\n`]), { isTTY: answer !== null });
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  const usual = { HOME: machine.homeFolder, USERPROFILE: machine.homeFolder, DATABASE_URL: `file:${database}` };
  const env = { ...usual, ...more };
  const place = { cwd: machine.workFolder, rootDir: "/opt/toolroom" };
  registerWrapCommands(program, { stdin, stdout, env, ...place, openCatalog, ...(signal && { signal }) });
  try {
    await program.parseAsync(words.split(" "), { from: "user" });
  } finally {
    stdout.end();
  }
  return await readStream(stdout);
}

/** What a command prints that may end with an error. */
async function runFailing(words: string): Promise<{ said: string; error: unknown }> {
  const stdout = new PassThrough();
  let error: unknown = null;
  const said = await run(words, null, undefined, {}, undefined, stdout).catch((thrown: unknown) => {
    error = thrown;
    return readStream(stdout);
  });
  return { said, error };
}

describe("toolroom wrap", () => {
  it("shows what it would do in a dry run, and changes nothing", async () => {
    write(".cursor/mcp.json", CURSOR);
    write(".codex/config.toml", CODEX);
    const said = await run("wrap --dry-run");
    expect(said).toContain("Cursor  ~/.cursor/mcp.json\n  move    files\n  move    notes\n");
    expect(said).toContain("Codex  ~/.codex/config.toml\n  move    files\n");
    expect(said).toContain(`In their place: toolroom (${NODE} /opt/toolroom/scripts/mcp.mjs --names plain)`);
    expect(said).toContain("3 servers of 2 files would move. Nothing was changed.");
    expect([read(".cursor/mcp.json"), read(".codex/config.toml"), catalog.servers.size]).toEqual([CURSOR, CODEX, 0]);
    expect(readdirSync(at("data"))).toEqual(["toolroom.db"]);
  });

  it("makes no data before the user agrees, tries the servers without them, and serves no tools of the example", async () => {
    write(".cursor/mcp.json", CURSOR);
    rmSync(database);
    const opened: (string | undefined)[] = [];
    const open: WrapIo["openCatalog"] = async ({ databaseUrl }) => {
      opened.push(databaseUrl);
      return catalog;
    };
    expect(await run("wrap --dry-run", null, open)).toContain("2 servers of 1 file would move");
    await expect(run("wrap", "n", open)).rejects.toMatchObject({ message: "Nothing was changed." });
    expect(readdirSync(at("data"))).toEqual([]);
    expect(opened.map((each) => each === `file:${database}`)).toEqual([false, false]);
    await run("wrap --yes", null, open);
    expect(opened.at(-1)).toBe(`file:${database}`);
    expect(JSON.parse(read("data/config/toolroom.json")).tools).toEqual({ registry: [] });
    const scratch = opened.slice(0, -1).map((each) => existsSync((each ?? "").replace(/^file:/, "")));
    expect(scratch).toEqual([false, false, false]);
  });

  it("releases the database during the prompt, so that a client can start Toolroom", async () => {
    write(".cursor/mcp.json", CURSOR);
    const steps: string[] = [];
    const open: WrapIo["openCatalog"] = async () => {
      steps.push("opened");
      return {
        preview: (text) => catalog.preview(text),
        import: async (request) => {
          steps.push("imported");
          await catalog.import(request);
        },
        connect: (name) => catalog.connect(name),
        remove: (name) => catalog.remove(name),
        close: async () => void steps.push("closed"),
      };
    };
    await expect(run("wrap", "n", open)).rejects.toMatchObject({ message: "Nothing was changed." });
    expect(steps.splice(0)).toEqual(["opened", "closed"]);
    await run("wrap", "y", open);
    expect(steps).toEqual(["opened", "closed", "opened", "imported", "closed"]);
  });

  it("leaves the configuration of data that is there", async () => {
    write(".cursor/mcp.json", CURSOR);
    await run("wrap --yes");
    expect(existsSync(at("data/config"))).toBe(false);
  });

  it("leaves servers that depend on the client's folder with the reason, and starts those of a project in its folder", async () => {
    const project = machine.workFolder;
    const servers = {
      tracker: { command: "node", args: ["tracker.js"] },
      placed: { command: "node", args: ["tracker.js"], cwd: project },
      fine: { command: "npx", args: ["-y", "some-server"] },
    };
    const gone = at("gone");
    const tracker = { tracker2: { command: "node", args: ["tracker.js", "--config", "./x"] } };
    const projects = { [project]: { mcpServers: tracker }, [gone]: { mcpServers: { old: { command: "x" } } } };
    write(".claude.json", JSON.stringify({ mcpServers: servers, projects }));
    const said = await run("wrap --yes");
    expect(said).toMatch(
      /stay {4}tracker +depends on the folder in which Claude Code starts it \(tracker\.js\): make the path absolute/,
    );
    expect(said).toMatch(/stay {4}old .*is for the folder .*gone, which is gone/);
    expect([...catalog.servers.keys()].sort()).toEqual(["fine", "placed", "tracker2"]);
    for (const name of ["placed", "tracker2"]) {
      expect(JSON.parse(catalog.servers.get(name) ?? "{}")).toMatchObject({ cwd: project });
    }
    expect(Object.keys(JSON.parse(read(".claude.json")).mcpServers).sort()).toEqual(["toolroom", "tracker"]);
  });

  it("gives each client its own servers, a project's entry also those of the user, and a second run what came since", async () => {
    const project = machine.workFolder;
    write(".cursor/mcp.json", CURSOR);
    const local = { command: "local-mcp" };
    const claude = (mcpServers: object, own: object) =>
      JSON.stringify({ mcpServers, projects: { [project]: { mcpServers: own } } });
    write(".claude.json", claude({ files: { command: "other-mcp" } }, { local }));
    await run("wrap --yes");
    const readAll = (file: string) => {
      const { mcpServers, projects } = JSON.parse(read(file));
      const [own] = Object.values(projects ?? {}) as { mcpServers: { toolroom: unknown } }[];
      return [readServers(mcpServers.toolroom), own && readServers(own.mcpServers.toolroom)];
    };
    expect(readAll(".cursor/mcp.json")).toEqual([["files-2", "notes"], undefined]);
    expect(readAll(".claude.json").map((names) => names?.sort())).toEqual([["files"], ["files", "local"]]);
    const { mcpServers, projects } = JSON.parse(read(".claude.json"));
    write(".claude.json", claude({ ...mcpServers, later: { command: "later" } }, projects[project].mcpServers));
    await run("wrap --yes");
    expect(readAll(".claude.json").map((names) => names?.sort())).toEqual([
      ["files", "later"],
      ["files", "later", "local"],
    ]);
    // A project's file of its own is used in place of the user's as well.
    write("project/.mcp.json", '{"mcpServers":{"shared":{"command":"shared-mcp"}}}');
    await run("wrap --config .mcp.json --yes");
    expect(readAll("project/.mcp.json")[0]?.sort()).toEqual(["files", "later", "shared"]);
  });

  it("moves a server once it has connected, and leaves those that do not with their client, byte for byte, and not in Toolroom", async () => {
    write(".cursor/mcp.json", CURSOR);
    write(".codex/config.toml", CODEX);
    catalog.unconnected.set("files", { status: "failed", reason: "The command 'files-mcp' was not found" });
    const said = run("wrap --yes");
    await expect(said).rejects.toMatchObject({
      exitCode: 1,
      message: "2 servers did not connect, so that their clients keep them: files.",
      wayOut: expect.stringContaining("--no-wait"),
    });
    expect(JSON.parse(read(".cursor/mcp.json")).mcpServers.files).toEqual({ command: "files-mcp" });
    expect(read(".cursor/mcp.json")).toContain('"files": { "command": "files-mcp" }');
    expect(readServers(JSON.parse(read(".cursor/mcp.json")).mcpServers.toolroom)).toEqual(["notes"]);
    expect([read(".codex/config.toml"), [...catalog.servers.keys()]]).toEqual([CODEX, ["notes"]]);
    // Two clients have it alike: it is started once.
    expect(catalog.attempts.sort()).toEqual(["files", "notes"]);
    catalog.unconnected.clear();
    expect(await run("wrap --yes")).toContain("Codex  ~/.codex/config.toml  files\n");
    await run("unwrap");
    expect([read(".cursor/mcp.json"), read(".codex/config.toml")]).toEqual([CURSOR, CODEX]);
  });

  it("says why a server stays, as text and as JSON, whatever ended its first connection", async () => {
    const states = { failed: "no such program", disconnected: "ENOTFOUND notes.example", connecting: null } as const;
    for (const [status, reason] of Object.entries(states)) {
      write(".cursor/mcp.json", CURSOR);
      catalog.unconnected.set("notes", { status: status as "failed", reason });
      const { said } = await runFailing("wrap --yes --no-wait --dry-run");
      expect(said).toContain("2 servers of 1 file would move");
      const why = `did not connect: ${reason ?? status}`;
      expect((await runFailing("wrap --yes")).said).toContain(`mcp.json  files\n  stay    notes  ${why}\n`);
      await run("unwrap");
      const { said: json } = await runFailing("wrap --yes --json");
      expect(JSON.parse(json).files[0]).toMatchObject({
        result: "wrapped",
        servers: [
          { name: "files", action: "move" },
          { name: "notes", action: "stay", reason: why },
        ],
      });
      await run("unwrap");
      expect(read(".cursor/mcp.json")).toBe(CURSOR);
      expect([...catalog.servers.keys()]).toEqual(["files"]);
    }
    catalog.unconnected.set("notes", "Toolroom answers no more");
    expect((await runFailing("wrap --yes")).said).toContain("did not connect: Toolroom answers no more");
  });

  it("changes no file where none of its servers connects, and keeps what Toolroom had before", async () => {
    write(".codex/config.toml", CODEX);
    await run("wrap --yes");
    await run("unwrap");
    write(".cursor/mcp.json", CURSOR);
    for (const name of ["files", "notes"]) catalog.unconnected.set(name, { status: "failed", reason: "gone" });
    const { error, said } = await runFailing("wrap --yes");
    expect(error).toMatchObject({ exitCode: 1 });
    expect(said).toContain("Cursor  ~/.cursor/mcp.json  left as it is\n  stay    files  did not connect: gone\n");
    expect(said).not.toContain("Restart the clients");
    expect([read(".cursor/mcp.json"), read(".codex/config.toml")]).toEqual([CURSOR, CODEX]);
    expect([...catalog.servers.keys()]).toEqual(["files"]);
  });

  it("moves servers that need a sign-in or are switched off, and all without a look with --no-wait", async () => {
    write(".cursor/mcp.json", CURSOR);
    catalog.unconnected.set("notes", { status: "sign_in_needed", reason: "401" });
    catalog.unconnected.set("files", { status: "disabled", reason: null });
    expect(await run("wrap --yes")).toContain("mcp.json  files, notes\n  move    notes  sign in to it in Toolroom\n");
    await run("unwrap");
    catalog.servers.clear();
    catalog.attempts.length = 0;
    catalog.unconnected.set("files", { status: "failed", reason: "gone" });
    expect(await run("wrap --yes --no-wait")).toContain("mcp.json  files, notes\n");
    expect(catalog.attempts).toEqual([]);
  });

  it("leaves files and Toolroom as they were where it is interrupted while servers connect, or a file cannot be written", async () => {
    write(".cursor/mcp.json", CURSOR);
    const interrupt = new AbortController();
    catalog.connect = () => {
      interrupt.abort();
      return new Promise(() => undefined);
    };
    await expect(run("wrap --yes", null, undefined, {}, interrupt.signal)).rejects.toMatchObject({
      message: "Nothing was changed.",
    });
    expect([read(".cursor/mcp.json"), catalog.servers.size]).toEqual([CURSOR, 0]);
    catalog.connect = async () => {
      writeFileSync(at(".cursor/mcp.json"), `${CURSOR} `);
      return { status: "connected", reason: null };
    };
    const { error, said } = await runFailing("wrap --yes");
    expect([error, said]).toMatchObject([{ exitCode: 4 }, expect.stringContaining("changed in the meantime")]);
    expect([read(".cursor/mcp.json"), catalog.servers.size]).toEqual([`${CURSOR} `, 0]);
    expect(existsSync(at("data/wrap/lock"))).toBe(false);
  });

  it("leaves the servers of an agent of Amazon Q that would not get the tools of the entry", async () => {
    const writeAgent = (tools: unknown) =>
      write(".aws/amazonq/default.json", JSON.stringify({ tools, mcpServers: { files: { command: "files-mcp" } } }));
    writeAgent(["@files"]);
    expect(await run("wrap --yes")).toContain('stay    files  needs "@toolroom" in the list tools');
    for (const tools of [["*"], ["@files", "@toolroom"]]) {
      writeAgent(tools);
      expect(await run("wrap --yes")).toContain("default.json  files\n");
      await run("unwrap");
    }
  });

  it("refuses what a client could not reach without a password", async () => {
    write(".cursor/mcp.json", CURSOR);
    const asPostgres = { DATABASE_URL: "postgresql://ada:secret@db/toolroom" };
    await expect(run("wrap --yes", null, undefined, asPostgres)).rejects.toMatchObject({
      exitCode: 2,
      wayOut: expect.stringContaining("TOOLROOM_URL"),
    });
    const withLogin = { TOOLROOM_URL: "https://ada:secret@tools.example" };
    await expect(run("wrap --yes", null, undefined, withLogin)).rejects.toMatchObject({ exitCode: 2 });
    await run("wrap --yes", null, undefined, { ...asPostgres, TOOLROOM_URL: "https://tools.example" });
    expect(read(".cursor/mcp.json")).not.toContain("secret");
  });

  it.skipIf(process.platform === "win32")("skips named pipes and devices, and does not wait for them", async () => {
    mkdirSync(at(".cursor"), { recursive: true });
    execFileSync("sh", ["-c", `mkfifo "$0"`, at(".cursor/mcp.json")]);
    mkdirSync(at(".gemini"), { recursive: true });
    symlinkSync("/dev/zero", at(".gemini/settings.json"));
    write(".codex/config.toml", CODEX);
    const said = await run("wrap --yes");
    expect(said).toContain("~/.cursor/mcp.json\n  left as it is: cannot be read: it is no regular file");
    expect(said).toContain("~/.gemini/settings.json\n  left as it is: cannot be read: it is no regular file");
    expect([...catalog.servers.keys()]).toEqual(["files"]);
    expect(statSync(at(".cursor/mcp.json")).isFIFO()).toBe(true);
    await expect(run(`wrap cursor --config ${at(".cursor/mcp.json")} --yes`)).rejects.toMatchObject({
      name: "CommandError",
    });
  });

  it("asks before it changes files, and needs --yes without a terminal", async () => {
    write(".cursor/mcp.json", CURSOR);
    await expect(run("wrap", "n")).rejects.toMatchObject({ exitCode: 4, message: "Nothing was changed." });
    await expect(run("wrap")).rejects.toMatchObject({ exitCode: 2, wayOut: expect.stringContaining("--yes") });
    expect(read(".cursor/mcp.json")).toBe(CURSOR);
    const said = await run("wrap", "y");
    expect(said).toContain("Move 2 servers of 1 file into Toolroom? [y/N]");
    expect(said).toContain("Cursor  ~/.cursor/mcp.json  files, notes\n");
    expect(JSON.parse(read(".cursor/mcp.json"))).toEqual({
      mcpServers: {
        toolroom: {
          command: NODE,
          args: ["/opt/toolroom/scripts/mcp.mjs", "--names", "plain", "--servers", "files,notes", "--wait", "45"],
          env: { DATABASE_URL: `file:${database}` },
        },
      },
    });
    expect(await run("unwrap --yes")).toContain("restored byte for byte");
    expect(read(".cursor/mcp.json")).toBe(CURSOR);
  });

  it("moves one client, or one server, alone", async () => {
    write(".cursor/mcp.json", CURSOR);
    write(".codex/config.toml", CODEX);
    await run("wrap cursor --server notes --yes");
    expect(Object.keys(JSON.parse(read(".cursor/mcp.json")).mcpServers)).toEqual(["files", "toolroom"]);
    expect([read(".codex/config.toml"), [...catalog.servers.keys()]]).toEqual([CODEX, ["notes"]]);
    await expect(run("wrap --server nothing --yes")).rejects.toMatchObject({
      exitCode: 3,
      message: "No client has a server 'nothing'.",
    });
    await expect(run("wrap emacs")).rejects.toMatchObject({ exitCode: 2, message: "There is no client 'emacs'." });
    await expect(run("wrap zed --dry-run")).rejects.toMatchObject({
      exitCode: 3,
      message: "No servers of Zed were found.",
    });
  });

  it("keeps two servers of one name apart, and takes one that is there already as it is", async () => {
    write(".cursor/mcp.json", CURSOR);
    write(
      ".codex/config.toml",
      '[mcp_servers.files]\ncommand = "other-mcp"\n[mcp_servers.notes]\nurl = "https://notes.example/mcp"\n',
    );
    const said = await run("wrap --yes");
    expect(said).toContain("Codex  ~/.codex/config.toml  files as files-2, notes\n");
    expect([...catalog.servers.keys()].sort()).toEqual(["files", "files-2", "notes"]);
    await run("unwrap");
    expect(await run("wrap --dry-run")).toMatch(/files {2}as files-2 is in Toolroom already/);
  });

  it("names a project's files and changes them only by name", async () => {
    write("project/.mcp.json", '{"mcpServers":{"local":{"command":"./run.sh"}}}');
    expect(await run("wrap --yes")).toContain("left as it is: others may share it; wrap it with --config .mcp.json");
    await run("wrap --config .mcp.json --yes");
    expect(read("project/.mcp.json")).toContain("toolroom");
    expect(catalog.servers.get("local")).toContain(JSON.stringify(machine.workFolder));
    await run("unwrap claude-code");
    expect(read("project/.mcp.json")).toBe('{"mcpServers":{"local":{"command":"./run.sh"}}}');
    await expect(run("wrap --config none.json --dry-run")).rejects.toMatchObject({ exitCode: 3 });
    // Its servers start in the folder of its project, wherever the command is called.
    write("elsewhere/.vscode/mcp.json", '{"servers":{"far":{"command":"node","args":["tracker.js"]}}}');
    await run(`wrap --config ${at("elsewhere/.vscode/mcp.json")} --yes`);
    expect(JSON.parse(catalog.servers.get("far") ?? "{}")).toMatchObject({ cwd: at("elsewhere") });
  });

  it("says why a file is left as it is", async () => {
    write(".cursor/mcp.json", '{"mcpServers": {"a": }');
    write(".gemini/settings.json", '{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}');
    write(".codex/config.toml", 'mcp_servers = { a = { command = "x" } }\n');
    write(".config/goose/config.yaml", "extensions: {a: {cmd: x, type: stdio}}\n");
    mkdirSync(at(".kiro/settings"), { recursive: true });
    writeFileSync(at(".kiro/settings/mcp.json"), Buffer.from([0xff, 0xfe, 0x7b, 0x00]));
    const said = await run("wrap --yes");
    expect(said).toMatch(/Cursor .*\n {2}left as it is: cannot be read: line 1: value expected/);
    expect(said).toMatch(/Gemini CLI .*\n {2}left as it is: has the key "a" twice in one object/);
    expect(said).toMatch(/Codex .*\n {2}stay {4}a {2}the file has its servers in one inline table/);
    expect(said).toMatch(/Goose .*\n {2}left as it is: has its servers between brackets/);
    expect(said).toMatch(/Kiro .*\n {2}left as it is: is not UTF-8: save it as UTF-8 first/);
    expect(said).toContain("No servers to move.");
  });

  it("leaves each file old or new when it ends between two of them", async () => {
    write(".cursor/mcp.json", CURSOR);
    write(".codex/config.toml", CODEX);
    let imports = 0;
    const broken = new MemoryCatalog(parse);
    broken.import = async (request) => {
      imports += 1;
      if (imports === 2) throw new Error("the power is gone");
      await MemoryCatalog.prototype.import.call(broken, request);
    };
    await expect(run("wrap --yes", null, async () => broken)).rejects.toMatchObject({ exitCode: 4 });
    expect([read(".cursor/mcp.json").includes("toolroom"), read(".codex/config.toml")]).toEqual([true, CODEX]);
    // After the record and before the file, the file is the old one.
    write(".cursor/mcp.json", CURSOR);
    expect(await run("unwrap")).toContain("was not changed");
    expect(read(".cursor/mcp.json")).toBe(CURSOR);
  });

  it("keeps rights and links of a file, and leaves no draft beside it", async () => {
    write("dotfiles/mcp.json", CURSOR);
    mkdirSync(at(".cursor"));
    symlinkSync(at("dotfiles/mcp.json"), at(".cursor/mcp.json"));
    await run("wrap --yes");
    expect(readlinkSync(at(".cursor/mcp.json"))).toBe(at("dotfiles/mcp.json"));
    expect([read("dotfiles/mcp.json").includes("toolroom"), readdirSync(at("dotfiles"))]).toEqual([true, ["mcp.json"]]);
    const [backup = ""] = readdirSync(at("data/wrap")).filter((file) => file.startsWith("cursor-"));
    expect([read(`data/wrap/${backup}`), statSync(at(`data/wrap/${backup}`)).mode & 0o777]).toEqual([CURSOR, 0o600]);
  });

  it("is refused while another one runs", async () => {
    write(".cursor/mcp.json", CURSOR);
    write("data/wrap/lock", String(process.ppid));
    await expect(run("wrap --yes")).rejects.toMatchObject({
      exitCode: 4,
      message: "Another wrap or unwrap is running.",
    });
    // That of a process that has ended does not count.
    write("data/wrap/lock", "999999999");
    await run("wrap --yes");
    expect(existsSync(at("data/wrap/lock"))).toBe(false);
  });
});

describe("--json and --data", () => {
  it("print one value each, and are about the database of the folder", async () => {
    write(".cursor/mcp.json", CURSOR);
    write(".codex/config.toml", "broken");
    await expect(run("wrap --json", "y")).rejects.toMatchObject({ exitCode: 2 });
    const planned = JSON.parse(await run("wrap --json --dry-run"));
    expect(planned.files.map(({ client, result }: { client: string; result: string }) => [client, result])).toEqual([
      ["cursor", "planned"],
      ["codex", "unread"],
    ]);
    const wrapped = JSON.parse(await run(`wrap --json --yes --data ${at("other")}`));
    expect(wrapped.command.env).toEqual({ DATABASE_URL: `file:${at("other/toolroom.db")}` });
    const facts = { project: null, action: "move", reason: null, isKnown: false, notes: [] };
    expect(wrapped.files[0]).toEqual({
      client: "cursor",
      file: at(".cursor/mcp.json"),
      result: "wrapped",
      reason: null,
      note: null,
      servers: ["files", "notes"].map((name) => ({ ...facts, name, importedAs: name })),
    });
    expect(await run("unwrap")).toBe("No file is wrapped.\n");
    const { files } = JSON.parse(await run(`unwrap --json --data ${at("other")}`));
    expect(files).toEqual([
      {
        client: "cursor",
        file: at(".cursor/mcp.json"),
        result: "restored",
        detail: null,
        backup: expect.stringContaining("cursor-"),
      },
    ]);
    expect(read(".cursor/mcp.json")).toBe(CURSOR);
  });
});

describe("toolroom unwrap", () => {
  it("undoes a file that was wrapped twice, with the server that came in between", async () => {
    write(".cursor/mcp.json", CURSOR);
    await run("wrap --yes");
    const wrapped = JSON.parse(read(".cursor/mcp.json"));
    write(
      ".cursor/mcp.json",
      JSON.stringify({ mcpServers: { ...wrapped.mcpServers, later: { command: "later" } } }, null, 2),
    );
    await run("wrap --yes");
    expect(Object.keys(JSON.parse(read(".cursor/mcp.json")).mcpServers)).toEqual(["toolroom"]);
    const said = await run("unwrap");
    expect(said).toContain(
      "mcp.json changed since it was wrapped: its servers are restored, the rest is as it was left",
    );
    expect(JSON.parse(read(".cursor/mcp.json"))).toEqual({
      mcpServers: { ...JSON.parse(CURSOR).mcpServers, later: { command: "later" } },
    });
  });

  it("leaves servers that the client has again, and says so", async () => {
    write(".cursor/mcp.json", CURSOR);
    await run("wrap --yes");
    const { mcpServers } = JSON.parse(read(".cursor/mcp.json"));
    write(".cursor/mcp.json", JSON.stringify({ mcpServers: { ...mcpServers, files: { command: "newer" } } }));
    expect(await run("unwrap")).toContain("left as they are now: files");
    expect(JSON.parse(read(".cursor/mcp.json")).mcpServers).toEqual({
      notes: { url: "https://notes.example/mcp" },
      files: { command: "newer" },
    });
  });

  it("says where the file as it was is kept when there is nothing to undo", async () => {
    write(".cursor/mcp.json", CURSOR);
    write(".codex/config.toml", CODEX);
    await run("wrap --yes");
    write(".cursor/mcp.json", "{}");
    rmSync(at(".codex/config.toml"));
    const said = await run("unwrap");
    expect(said).toMatch(
      /Cursor .*not restored: it has no entry "toolroom" any more\n {2}The file as it was: .*cursor-/,
    );
    expect(said).toMatch(/Codex .*not restored: the file is gone\n {2}The file as it was: .*codex-/);
    expect(read(".cursor/mcp.json")).toBe("{}");
  });

  it("changes nothing where the backup is gone, the file is broken or the record is damaged", async () => {
    write(".cursor/mcp.json", CURSOR);
    await run("wrap --yes");
    const wrapped = read(".cursor/mcp.json");
    write(".cursor/mcp.json", "{ broken");
    await expect(run("unwrap")).rejects.toMatchObject({ exitCode: 4, message: "1 file stayed wrapped." });
    write(".cursor/mcp.json", wrapped);
    const [backup = ""] = readdirSync(at("data/wrap")).filter((file) => file.startsWith("cursor-"));
    renameSync(at(`data/wrap/${backup}`), at("moved"));
    await expect(run("unwrap")).rejects.toMatchObject({ exitCode: 4 });
    expect(read(".cursor/mcp.json")).toBe(wrapped);
    renameSync(at("moved"), at(`data/wrap/${backup}`));
    const state = read("data/wrap/state.json");
    write("data/wrap/state.json", "{}");
    await expect(run("unwrap")).rejects.toMatchObject({ message: expect.stringContaining("state.json is damaged") });
    write("data/wrap/state.json", state);
    await run("unwrap");
    expect(read(".cursor/mcp.json")).toBe(CURSOR);
  });
});
