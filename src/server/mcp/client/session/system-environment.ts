import path from "node:path";

type Variables = Readonly<Record<string, string | undefined>>;

export interface System {
  platform: NodeJS.Platform;
  /** The path of Node, beside which its `npx` is. */
  execPath: string;
}

/** The folders that launchd gives programs which were started with a click. */
const LAUNCHD_FOLDERS = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/**
 * Adds what a terminal would have and a program with a window lacks: on macOS the folders of Node, Homebrew and `~/.local`,
 * where PATH has none but the system's; on Windows the folder of Node, which version managers set for a terminal alone, and UTF-8 for the
 * pipes of Python, which uses the code page otherwise.
 * @param environment of a server's process @param own the environment of Toolroom
 */
export function completeEnvironment(
  environment: Readonly<Record<string, string>>,
  own: Variables,
  { platform, execPath }: System,
): Record<string, string> {
  if (platform === "darwin") return addFolders(environment, own, execPath);
  if (platform !== "win32") return { ...environment };
  const completed = { ...environment };
  const findName = (wanted: string) => Object.keys(environment).find((name) => name.toUpperCase() === wanted);
  const pathName = findName("PATH");
  if (pathName !== undefined)
    completed[pathName] = addFolder(environment[pathName] ?? "", path.win32.dirname(execPath));
  if (findName("PYTHONUTF8") === undefined) completed.PYTHONUTF8 = own.PYTHONUTF8 ?? "1";
  return completed;
}

/** Appends the folder, so that the user's own folders come first. */
function addFolder(searched: string, folder: string): string {
  const toPlain = (each: string): string =>
    each
      .replaceAll('"', "")
      .replace(/[\\/]+$/, "")
      .toLowerCase();
  const folders = searched.split(";").filter((each) => each !== "");
  return folders.some((each) => toPlain(each) === toPlain(folder)) ? searched : [...folders, folder].join(";");
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
