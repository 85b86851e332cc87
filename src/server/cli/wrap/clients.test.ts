import { realpathSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { describeBridgeCommand, isBridge, readServers, toClientBridge } from "./bridge-command";
import { CLIENTS, type Machine } from "./clients";

const filesOf = (id: string, machine: Partial<Machine>): string[] | undefined =>
  CLIENTS.find((client) => client.id === id)?.files({
    ...{ platform: "linux", homeFolder: "/home/ada", workFolder: "/srv", env: {} },
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
    expect(filesOf("codex", { env: { CODEX_HOME: "/opt/codex" } })).toEqual(["/opt/codex/config.toml"]);
    expect(filesOf("claude-code", { env: { CLAUDE_CONFIG_DIR: "/opt/claude" } })).toEqual(["/opt/claude/.claude.json"]);
  });

  it("have names and files of their own", () => {
    expect(new Set(CLIENTS.map(({ id }) => id)).size).toBe(CLIENTS.length);
    const files = CLIENTS.flatMap(({ id }) => filesOf(id, {}) ?? []);
    expect(new Set(files).size).toBe(files.length);
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
