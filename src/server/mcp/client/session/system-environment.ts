import path from "node:path";

type Variables = Readonly<Record<string, string | undefined>>;

export interface System {
  platform: NodeJS.Platform;
  /** Of Node, which its `npx` lies beside. */
  execPath: string;
}

/** What launchd gives programs that were started with a click. */
const LAUNCHD_FOLDERS = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/**
 * Adds what a terminal would have and a program with a window lacks: on macOS the folders of Node, Homebrew and `~/.local`,
 * where PATH has none but the system's; on Windows UTF-8 for the pipes of Python, which uses the code page otherwise.
 * @param environment of a server's process @param own the environment of Toolroom
 */
export function completeEnvironment(
  environment: Readonly<Record<string, string>>,
  own: Variables,
  { platform, execPath }: System,
): Record<string, string> {
  if (platform === "darwin") return addFolders(environment, own, execPath);
  const isSet = Object.keys(environment).some((name) => name.toUpperCase() === "PYTHONUTF8");
  if (platform !== "win32" || isSet) return { ...environment };
  return { ...environment, PYTHONUTF8: own.PYTHONUTF8 ?? "1" };
}

function addFolders(environment: Readonly<Record<string, string>>, own: Variables, execPath: string) {
  const present = (environment.PATH ?? "").split(":").filter((folder) => folder !== "");
  if (present.some((folder) => !LAUNCHD_FOLDERS.includes(folder))) return { ...environment };
  const home = environment.HOME ?? own.HOME;
  const added = [path.posix.dirname(execPath), "/opt/homebrew/bin", "/usr/local/bin"];
  if (home !== undefined) added.push(path.posix.join(home, ".local/bin"));
  const folders = new Set(added.concat(present.length === 0 ? LAUNCHD_FOLDERS : present));
  return { ...environment, PATH: [...folders].join(":") };
}
