import path from "node:path";
import type { BridgeCommand } from "./bridge-command";
import type { SectionPath } from "./config-format";

/** The machine as far as it decides where clients keep their files. */
export interface Machine {
  platform: NodeJS.Platform;
  homeFolder: string;
  /** The folder in which the user works, such as that of a project. */
  workFolder: string;
  env: Readonly<Record<string, string | undefined>>;
}

type Entry = Readonly<Record<string, unknown>>;

/** Files in each of the folders of a parent whose name fits. */
export interface NamedFolders {
  parent: string;
  name: RegExp;
  files: readonly string[];
}

export interface Client {
  /** The id that the user enters on the command line. */
  id: string;
  label: string;
  /** The user's files. A folder means the files in it. */
  files(machine: Machine): string[];
  /** Folders for a path with a part whose name only the machine knows. */
  namedFolders?(machine: Machine): NamedFolders[];
  /** What to know of a file where the client has several; null for nothing. @param found those that are there */
  describeFile?(file: string, machine: Machine, found: readonly string[]): string | null;
  /** Files of a project, within its folder. */
  projectFiles: readonly string[];
  /** The possible locations of servers in a file. */
  sections: readonly SectionPath[];
  /** Keys of objects whose values have a section `mcpServers` of their own. */
  projectsKey?: string;
  /**
   * How long its first list of tools may take from the start of a server, in seconds: less than it waits itself, where that is
   * known.
   */
  waitSeconds: number;
  /** Toolroom as the client writes a local server. */
  toEntry(bridge: BridgeCommand): Entry;
}

/** Most clients give up after a minute, as the SDKs do. */
const USUAL_WAIT_SECONDS = 45;
/** For clients whose limit is not documented, or is half a minute. */
const SHORT_WAIT_SECONDS = 20;

const MCP_SERVERS: SectionPath = ["mcpServers"];

/** The folder of settings that programs with a window use. */
function appFolder({ platform, homeFolder, env }: Machine): string {
  if (platform === "darwin") return path.join(homeFolder, "Library/Application Support");
  if (platform === "win32") return env.APPDATA || path.join(homeFolder, "AppData/Roaming");
  return configFolder({ homeFolder, env });
}

/** The folder of settings that programs of the command line use, except on Windows. */
function configFolder({ homeFolder, env }: Pick<Machine, "homeFolder" | "env">): string {
  return env.XDG_CONFIG_HOME || path.join(homeFolder, ".config");
}

const inHome =
  (...files: string[]) =>
  ({ homeFolder }: Machine) =>
    files.map((file) => path.join(homeFolder, file));
const inApps =
  (...files: string[]) =>
  (machine: Machine) =>
    files.map((file) => path.join(appFolder(machine), file));
const inConfig =
  (...files: string[]) =>
  (machine: Machine) =>
    files.map((file) => path.join(configFolder(machine), file));

/** Builds of VS Code, whose extensions keep their files in folders of the same names. */
const EDITORS = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];
const inExtension = (file: string) => inApps(...EDITORS.map((editor) => `${editor}/User/globalStorage/${file}`));

const toPlain = ({ command, args, env }: BridgeCommand): Entry => ({ command, args, ...(env && { env }) });
const toTyped = (bridge: BridgeCommand): Entry => ({ type: "stdio", ...toPlain(bridge) });
const toCodex = (bridge: BridgeCommand): Entry => ({ ...toPlain(bridge), startup_timeout_sec: 60 });
const toOpencode = ({ command, args, env }: BridgeCommand): Entry => ({
  type: "local",
  command: [command, ...args],
  ...(env && { environment: env }),
  enabled: true,
  // Without this value the client waits only 5 s for a server.
  timeout: 60_000,
});
const toGoose = ({ command, args, env }: BridgeCommand): Entry => ({
  type: "stdio",
  name: "toolroom",
  description: "The tools of Toolroom",
  cmd: command,
  args,
  envs: env ?? {},
  env_keys: [],
  enabled: true,
  timeout: 300,
});

/** Clients that keep `mcpServers` as Claude Desktop does. */
const plainClient = (
  id: string,
  label: string,
  files: Client["files"],
  projectFiles: readonly string[] = [],
  more: Partial<Client> = {},
): Client => ({
  id,
  label,
  files,
  projectFiles,
  sections: [MCP_SERVERS],
  waitSeconds: USUAL_WAIT_SECONDS,
  toEntry: toPlain,
  ...more,
});

const CLAUDE_FILE = "Claude/claude_desktop_config.json";
/** The folder of the Windows package, whose last part is the publisher's. */
const CLAUDE_PACKAGE = /^Claude_[^\\/]+$/i;

/** Windows keeps what a packaged program writes to AppData in a folder of the package, which the program reads first. */
function findClaudePackages({ platform, homeFolder, env }: Machine): NamedFolders[] {
  if (platform !== "win32") return [];
  const parent = path.join(env.LOCALAPPDATA || path.join(homeFolder, "AppData/Local"), "Packages");
  return [{ parent, name: CLAUDE_PACKAGE, files: [`LocalCache/Roaming/${CLAUDE_FILE}`] }];
}

function describeClaudeFile(file: string, machine: Machine, found: readonly string[]): string | null {
  const [older] = inApps(CLAUDE_FILE)(machine);
  const packaged = found.filter((each) => each !== older);
  if (packaged.length === 0 || found.length < 2) return null;
  if (file !== older) return "this file counts: Claude Desktop is installed as a Windows package";
  return `this file does not count: Claude Desktop, a Windows package, reads ${packaged.join(" and ")}`;
}

const findCopilotFile = ({ homeFolder, env }: Machine): string[] => [
  path.join(env.COPILOT_HOME || path.join(homeFolder, ".copilot"), "mcp-config.json"),
];

/** The second one is of versions without agents, and still read by some. */
const AMAZON_Q_FILES = ["amazonq/default.json", "amazonq/mcp.json"];
const toHidden = (files: readonly string[]): string[] => files.map((file) => `.${file}`);

/** The builds that keep servers themselves. */
const VS_CODE = EDITORS.slice(0, 3);
const VS_CODE_FILES = ["mcp.json", "settings.json"];

/** The clients in display order. */
export const CLIENTS: readonly Client[] = [
  plainClient("claude-desktop", "Claude Desktop", inApps(CLAUDE_FILE), [], {
    namedFolders: findClaudePackages,
    describeFile: describeClaudeFile,
  }),
  plainClient(
    "claude-code",
    "Claude Code",
    ({ homeFolder, env }) => [path.join(env.CLAUDE_CONFIG_DIR || homeFolder, ".claude.json")],
    [".mcp.json"],
    { projectsKey: "projects", waitSeconds: SHORT_WAIT_SECONDS, toEntry: toTyped },
  ),
  plainClient("cursor", "Cursor", inHome(".cursor/mcp.json"), [".cursor/mcp.json"]),
  {
    id: "vscode",
    label: "VS Code",
    files: inApps(...VS_CODE.flatMap((editor) => VS_CODE_FILES.map((file) => `${editor}/User/${file}`))),
    namedFolders: (machine) =>
      inApps(...VS_CODE)(machine).map((folder) => ({
        parent: path.join(folder, "User/profiles"),
        name: /^[^.]/,
        files: VS_CODE_FILES,
      })),
    projectFiles: [".vscode/mcp.json", ".vscode/settings.json"],
    sections: [["servers"], ["mcp", "servers"], ["mcp.servers"]],
    waitSeconds: USUAL_WAIT_SECONDS,
    toEntry: toTyped,
  },
  {
    id: "visualstudio",
    label: "Visual Studio",
    // learn.microsoft.com/visualstudio/ide/mcp-servers: it runs on Windows alone.
    files: (machine) => (machine.platform === "win32" ? inHome(".mcp.json")(machine) : []),
    projectFiles: [".mcp.json", ".vs/mcp.json"],
    sections: [["servers"]],
    waitSeconds: SHORT_WAIT_SECONDS,
    toEntry: toTyped,
  },
  // Its plugin for JetBrains has a separate file.
  plainClient("windsurf", "Windsurf", inHome(".codeium/windsurf/mcp_config.json", ".codeium/mcp_config.json")),
  {
    id: "zed",
    label: "Zed",
    files: (machine) =>
      machine.platform === "win32" ? inApps("Zed/settings.json")(machine) : inConfig("zed/settings.json")(machine),
    projectFiles: [".zed/settings.json"],
    sections: [["context_servers"]],
    waitSeconds: USUAL_WAIT_SECONDS,
    toEntry: (bridge) => ({ source: "custom", ...toPlain(bridge) }),
  },
  plainClient("gemini", "Gemini CLI", inHome(".gemini/settings.json"), [".gemini/settings.json"]),
  {
    id: "codex",
    label: "Codex",
    files: ({ homeFolder, env }) => [path.join(env.CODEX_HOME || path.join(homeFolder, ".codex"), "config.toml")],
    projectFiles: [".codex/config.toml"],
    sections: [["mcp_servers"]],
    waitSeconds: USUAL_WAIT_SECONDS,
    toEntry: toCodex,
  },
  {
    id: "opencode",
    label: "opencode",
    files: inConfig("opencode/opencode.json", "opencode/opencode.jsonc", "opencode/config.json"),
    projectFiles: ["opencode.json", "opencode.jsonc"],
    sections: [["mcp"]],
    waitSeconds: USUAL_WAIT_SECONDS,
    toEntry: toOpencode,
  },
  plainClient(
    "continue",
    "Continue",
    inHome(".continue/config.yaml", ".continue/config.json", ".continue/mcpServers"),
    [".continue/mcpServers"],
    { sections: [MCP_SERVERS, ["experimental", "modelContextProtocolServers"]], waitSeconds: SHORT_WAIT_SECONDS },
  ),
  plainClient("cline", "Cline", (machine) => [
    ...inExtension("saoudrizwan.claude-dev/settings/cline_mcp_settings.json")(machine),
    ...inHome(".cline/data/settings/cline_mcp_settings.json")(machine),
  ]),
  plainClient("roo", "Roo Code", inExtension("rooveterinaryinc.roo-cline/settings/mcp_settings.json"), [
    ".roo/mcp.json",
  ]),
  {
    id: "goose",
    label: "Goose",
    files: (machine) =>
      machine.platform === "win32"
        ? inApps("Block/goose/config/config.yaml")(machine)
        : inConfig("goose/config.yaml")(machine),
    projectFiles: [],
    sections: [["extensions"]],
    waitSeconds: USUAL_WAIT_SECONDS,
    toEntry: toGoose,
  },
  plainClient("copilot", "GitHub Copilot CLI", findCopilotFile, [], {
    waitSeconds: SHORT_WAIT_SECONDS,
    toEntry: (bridge) => ({ type: "local", ...toPlain(bridge), tools: ["*"] }),
  }),
  plainClient("lmstudio", "LM Studio", inHome(".lmstudio/mcp.json"), [], { waitSeconds: SHORT_WAIT_SECONDS }),
  plainClient("kiro", "Kiro", inHome(".kiro/settings/mcp.json"), [".kiro/settings/mcp.json"], {
    waitSeconds: SHORT_WAIT_SECONDS,
  }),
  plainClient(
    "amazonq",
    "Amazon Q",
    inHome(...AMAZON_Q_FILES.map((file) => `.aws/${file}`)),
    toHidden(AMAZON_Q_FILES),
    {
      waitSeconds: SHORT_WAIT_SECONDS,
    },
  ),
  plainClient("qwen", "Qwen Code", inHome(".qwen/settings.json"), [".qwen/settings.json"]),
  plainClient("amp", "Amp", inConfig("amp/settings.json"), [], {
    sections: [["amp.mcpServers"]],
    waitSeconds: SHORT_WAIT_SECONDS,
  }),
];

/** Where a server of a list has to name itself, and older Continue files, which nest its command. */
export function toListItem(section: SectionPath, name: string, entry: Entry): Entry {
  if (section.at(-1) === "modelContextProtocolServers") return { name, transport: { type: "stdio", ...entry } };
  return { name, ...entry };
}
