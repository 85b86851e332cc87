import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { describeBridgeCommand, isBridge, readServers, toClientBridge } from "./bridge-command";
import { listClientFiles, listProjectFiles, readClientFile } from "./client-files";
import { CLIENTS, type Machine } from "./clients";
import { makeMachine } from "./wrap.test-support";

const filesOf = (id: string, machine: Partial<Machine>): string[] | undefined =>
  CLIENTS.find((client) => client.id === id)?.files({
    platform: "linux",
    homeFolder: "/home/ada",
    workFolder: "/srv",
    env: {},
    ...machine,
  });

describe("clients", () => {
  it("are looked for where each platform keeps their files", () => {
    const mac = { platform: "darwin", homeFolder: "/Users/ada" } as const;
    const windows = {
      platform: "win32",
      homeFolder: "C:/Users/ada",
      env: { APPDATA: "C:/Users/ada/AppData/Roaming" },
    } as const;
    expect(filesOf("claude-desktop", {})).toEqual(["/home/ada/.config/Claude/claude_desktop_config.json"]);
    expect(filesOf("claude-desktop", mac)).toEqual([
      "/Users/ada/Library/Application Support/Claude/claude_desktop_config.json",
    ]);
    expect(filesOf("claude-desktop", windows)).toEqual([
      "C:/Users/ada/AppData/Roaming/Claude/claude_desktop_config.json",
    ]);
    expect(filesOf("zed", mac)).toEqual(["/Users/ada/.config/zed/settings.json"]);
    expect(filesOf("zed", windows)).toEqual(["C:/Users/ada/AppData/Roaming/Zed/settings.json"]);
    expect(filesOf("goose", windows)).toEqual(["C:/Users/ada/AppData/Roaming/Block/goose/config/config.yaml"]);
    expect(filesOf("vscode", mac)?.[0]).toBe("/Users/ada/Library/Application Support/Code/User/mcp.json");
    expect(filesOf("zed", { env: { XDG_CONFIG_HOME: "/etc/ada" } })).toEqual(["/etc/ada/zed/settings.json"]);
    expect(filesOf("visualstudio", windows)).toEqual(["C:/Users/ada/.mcp.json"]);
    expect([filesOf("visualstudio", {}), filesOf("visualstudio", mac)]).toEqual([[], []]);
    expect(filesOf("copilot", { env: { COPILOT_HOME: "/opt/copilot" } })).toEqual(["/opt/copilot/mcp-config.json"]);
    expect(filesOf("amazonq", windows)?.map((file) => path.posix.basename(file))).toEqual(["default.json", "mcp.json"]);
    expect(filesOf("codex", { env: { CODEX_HOME: "/opt/codex" } })).toEqual(["/opt/codex/config.toml"]);
    expect(filesOf("claude-code", { env: { CLAUDE_CONFIG_DIR: "/opt/claude" } })).toEqual(["/opt/claude/.claude.json"]);
  });

  it("have names and files of their own", () => {
    expect(new Set(CLIENTS.map(({ id }) => id)).size).toBe(CLIENTS.length);
    const files = CLIENTS.flatMap(({ id }) => filesOf(id, {}) ?? []);
    expect(new Set(files).size).toBe(files.length);
  });
});

describe("files in folders whose names only the machine knows", () => {
  const CURSOR_LIKE = '{"mcpServers":{"files":{"command":"files-mcp"}}}';

  function place(machine: Machine, ...files: string[]): string[] {
    return files.map((file) => {
      const whole = path.join(machine.homeFolder, file);
      mkdirSync(path.dirname(whole), { recursive: true });
      writeFileSync(whole, CURSOR_LIKE);
      return whole;
    });
  }
  const find = (machine: Machine, id: string): string[] =>
    listClientFiles(
      machine,
      CLIENTS.filter((client) => client.id === id),
    ).map(([, file]) => file);
  function readNote(machine: Machine, file: string): string | null {
    const [claude] = CLIENTS;
    const read = claude && readClientFile(claude, file, machine);
    return read !== undefined && "note" in read ? read.note : "unread";
  }

  it("are found for Claude Desktop as a Windows package, beside the older installer's, and it is said which one counts", () => {
    const machine: Machine = { ...makeMachine(), platform: "win32" };
    const config = "Claude/claude_desktop_config.json";
    const [older = ""] = place(machine, `AppData/Roaming/${config}`);
    expect([find(machine, "claude-desktop"), readNote(machine, older)]).toEqual([[older], null]);
    const [packaged = ""] = place(
      machine,
      `AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/${config}`,
      `AppData/Local/Packages/Other_pzs8sxrjxfjjc/LocalCache/Roaming/${config}`,
    );
    expect(find(machine, "claude-desktop")).toEqual([older, packaged]);
    expect(readNote(machine, packaged)).toBe("this file counts: Claude Desktop is installed as a Windows package");
    expect(readNote(machine, older)).toBe(
      `this file does not count: Claude Desktop, a Windows package, reads ${packaged}`,
    );
    expect(find({ ...machine, platform: "linux" }, "claude-desktop")).toEqual([]);
  });

  it.each(["linux", "darwin", "win32"] as const)(
    "are found for the profiles of VS Code and its builds on %s",
    (platform) => {
      const machine: Machine = { ...makeMachine(), platform };
      const apps = { linux: ".config", darwin: "Library/Application Support", win32: "AppData/Roaming" }[platform];
      const files = ["Code", "Code - Insiders", "VSCodium"].flatMap((build) => [
        `${apps}/${build}/User/mcp.json`,
        `${apps}/${build}/User/profiles/-37c9a1b2/mcp.json`,
        `${apps}/${build}/User/profiles/7f00/mcp.json`,
      ]);
      const placed = place(machine, ...files, `${apps}/Code/User/profiles/7f00/settings.json`);
      expect(find(machine, "vscode").sort()).toEqual([...placed].sort());
      const [client] = CLIENTS.filter(({ id }) => id === "vscode");
      for (const file of placed) {
        const read = client && readClientFile(client, file, machine);
        expect(read).not.toHaveProperty("reason");
      }
    },
  );

  it("of a project are those of a client that reads them: Claude Code and Visual Studio share a name", () => {
    const machine = makeMachine();
    const file = path.join(machine.workFolder, ".mcp.json");
    mkdirSync(machine.workFolder);
    const listUsed = () =>
      listProjectFiles(machine).flatMap(([client, each]) => {
        const read = readClientFile(client, each, machine);
        return "reason" in read || read.sections.length === 0 ? [] : [client.id];
      });
    writeFileSync(file, CURSOR_LIKE);
    expect(listUsed()).toEqual(["claude-code"]);
    writeFileSync(file, '{"servers":{"files":{"command":"files-mcp"}}}');
    expect(listUsed()).toEqual(["visualstudio"]);
  });
});

describe("the bridge", () => {
  const clone = { homeDir: "/srv/toolroom", rootDir: "/srv/toolroom", env: {}, dataFolder: "/srv/toolroom/data" };
  const node = realpathSync(process.execPath);

  it("is this Node and the script of the program by their paths, never names that something else answers for", () => {
    const args = (homeDir: string) => [`${homeDir}/scripts/mcp.mjs`, "--names", "plain"];
    expect(describeBridgeCommand(clone)).toEqual({ command: node, args: args("/srv/toolroom") });
    const rootDir = "/home/ada/.local/share/toolroom";
    const packed = { homeDir: "/usr/lib/node_modules/toolroom", rootDir, dataFolder: rootDir, env: {} };
    const env = { TOOLROOM_ROOT: rootDir };
    expect(describeBridgeCommand(packed)).toEqual({ command: node, args: args(packed.homeDir), env });
    const cached = { ...packed, homeDir: "/home/ada/.npm/_npx/5d/node_modules/toolroom" };
    const launched = [`${rootDir}/program/mcp.mjs`, "--names", "plain"];
    expect(describeBridgeCommand(cached)).toEqual({ command: node, args: launched, env });
  });

  it("serves a client its own servers, and waits for a first list as long as that client does", () => {
    const base = { command: node, args: ["mcp.mjs", "--names", "plain"] };
    expect(toClientBridge(base, ["files", "notes", "files"], 45).args.slice(3)).toEqual([
      "--servers",
      "files,notes",
      "--wait",
      "45",
    ]);
    expect(toClientBridge(base, null, 20).args.slice(3)).toEqual(["--wait", "20"]);
    for (const client of CLIENTS) {
      const entry = client.toEntry(toClientBridge(base, ["files", "notes"], client.waitSeconds));
      expect([client.id, readServers(entry)]).toEqual([client.id, ["files", "notes"]]);
      expect(client.waitSeconds).toBeGreaterThanOrEqual(20);
      expect(client.waitSeconds).toBeLessThan(60);
    }
  });

  it("has the same data and configuration wherever it is started, and no password", () => {
    const env = { DATABASE_URL: "file:./data/mine.db?x=1", TOOLROOM_CONFIG: "my.json" };
    expect(describeBridgeCommand({ ...clone, env }).env).toEqual({
      DATABASE_URL: "file:/srv/toolroom/data/mine.db?x=1",
      TOOLROOM_CONFIG: "/srv/toolroom/my.json",
    });
    const other = {
      DATABASE_URL: "postgres://ada:secret@db/toolroom",
      TOOLROOM_URL: "https://ada:secret@tools.example",
    };
    expect(describeBridgeCommand({ ...clone, env: other }).env).toBeUndefined();
    const far = { TOOLROOM_URL: "https://tools.example" };
    expect(describeBridgeCommand({ ...clone, env: far }).env).toEqual(far);
  });

  it("is known in a client's file, so that Toolroom does not become a server of its own", () => {
    for (const value of [
      { command: "node", args: ["/srv/toolroom/scripts/mcp.mjs"] },
      { command: "npx", args: ["-y", "toolroom@1.2.0", "mcp"] },
      { command: "npm", args: ["--prefix", "/srv", "run", "-s", "mcp", "--", "--server", "files"] },
      { command: ["npx", "-y", "toolroom", "mcp"] },
      { command: "/usr/bin/node", args: ["/home/ada/.local/share/toolroom/program/mcp.mjs"] },
    ]) {
      expect(isBridge("any", value)).toBe(true);
    }
    expect(isBridge("toolroom-files", { url: "http://127.0.0.1:3000/mcp/files" })).toBe(true);
    expect(isBridge("files", { url: "http://127.0.0.1:3000/mcp/files" })).toBe(false);
    expect(isBridge("files", { command: "npx", args: ["-y", "files-mcp"] })).toBe(false);
  });
});
