import path from "node:path";

const { win32 } = path;

/** The parts of the system that the search for a command reads; replaced in tests. */
export interface WindowsFiles {
  isFile(file: string): boolean;
  readText(file: string): string;
}

export interface WindowsCommand {
  command: string;
  args: string[];
  /** The arguments are a command line as it is; nothing may be quoted again. */
  verbatim: boolean;
}

const DEFAULT_EXTENSIONS = ".COM;.EXE;.BAT;.CMD";
const PROGRAM = /\.(?:exe|com)$/i;
const BATCH = /\.(?:cmd|bat)$/i;
/**
 * Matches in a script that npm, pnpm or Node's installer wrote: the folder of the script, then the JavaScript file that
 * it runs.
 */
const SHIM_TARGET = /%(?:~dp0|dp0%)\\?([^"%\r\n]+\.[cm]?js)"/gi;
/** Characters that `cmd.exe` interprets. */
const META = /[()\][%!^"`<>&|;, *?]/g;

/** Environment variables have no case on Windows. @returns undefined for one that is missing */
function readVariable(environment: Readonly<Record<string, string>>, name: string): string | undefined {
  const found = Object.keys(environment).find((key) => key.toUpperCase() === name.toUpperCase());
  return found === undefined ? undefined : environment[found];
}

/**
 * Resolves a command as the shells of Windows do, which `spawn` does not: a name is searched along PATH with each ending of PATHEXT; a
 * program starts directly; `npx`, `npm` and other scripts that run JavaScript start as Node with it, which keeps the arguments exact
 * and the process the server's own; other scripts start by `cmd.exe`.
 * @throws Error with the code ENOENT that names what was looked for, or EINVAL for an argument that a script cannot get
 */
export function resolveWindowsCommand(
  {
    command,
    args,
    environment,
    cwd,
  }: {
    command: string;
    args: readonly string[];
    environment: Readonly<Record<string, string>>;
    cwd: string;
  },
  node: string,
  files: WindowsFiles,
): WindowsCommand {
  const file = findCommand(command, environment, cwd, files);
  if (!BATCH.test(file)) return { command: file, args: [...args], verbatim: false };
  const script = findScript(file, files);
  if (script !== null) {
    const beside = win32.join(win32.dirname(file), "node.exe");
    const program = files.isFile(beside) ? beside : (findOnPath("node.exe", environment, files)[0] ?? node);
    return { command: program, args: [script, ...args], verbatim: false };
  }
  return toShellCommand(file, args, environment);
}

function findCommand(
  command: string,
  environment: Readonly<Record<string, string>>,
  cwd: string,
  files: WindowsFiles,
): string {
  const isPath = /[\\/]/.test(command) || win32.isAbsolute(command);
  const found = isPath
    ? listEndings(win32.resolve(cwd, command), environment).filter((file) => files.isFile(file))
    : findOnPath(command, environment, files);
  const [first] = found;
  if (first !== undefined) return first;
  const where = isPath ? win32.dirname(win32.resolve(cwd, command)) : "the folders of PATH";
  const names = listEndings(win32.basename(command), environment).join(", ");
  throw Object.assign(new Error(`None of ${names} is in ${where}`), { code: "ENOENT" });
}

/** Searches in the order of Windows, without the working folder, whose files must not count as commands. */
function findOnPath(name: string, environment: Readonly<Record<string, string>>, files: WindowsFiles): string[] {
  const folders = (readVariable(environment, "PATH") ?? "").split(";").map((folder) => folder.replaceAll('"', ""));
  return folders
    .filter((folder) => folder !== "")
    .flatMap((folder) => listEndings(win32.join(folder, name), environment))
    .filter((file) => files.isFile(file));
}

/** A file with an ending that can be started is taken as it is; else each ending is tried. */
function listEndings(file: string, environment: Readonly<Record<string, string>>): string[] {
  const endings = (readVariable(environment, "PATHEXT") || DEFAULT_EXTENSIONS).split(";").filter(Boolean);
  const ending = win32.extname(file).toLowerCase();
  if (endings.some((each) => each.toLowerCase() === ending)) return [file];
  // Other endings, such as `.JS`, open a program that Toolroom does not know.
  return endings.map((each) => file + each.toLowerCase()).filter((each) => PROGRAM.test(each) || BATCH.test(each));
}

/** The JavaScript file that a script runs; null for a script that does something else. */
function findScript(file: string, { isFile, readText }: WindowsFiles): string | null {
  // npm's own scripts look for a newer npm first, and fall back to the file beside them.
  const targets = [...readText(file).matchAll(SHIM_TARGET)].map(([, target = ""]) =>
    win32.join(win32.dirname(file), target),
  );
  const name = win32.basename(file).replace(BATCH, "");
  const own = targets.filter((target) => win32.basename(target).startsWith(`${name}-cli`));
  return [...own, ...targets.reverse()].find(isFile) ?? null;
}

/** A script's arguments are read twice: by `cmd.exe`, and by the script that passes them on. */
function toShellCommand(
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): WindowsCommand {
  const broken = args.findIndex((each) => /[\r\n\0]/.test(each));
  if (broken !== -1) {
    const message = `argument ${broken + 1} has a line break, which a script (${win32.basename(file)}) cannot get`;
    throw Object.assign(new Error(message), { code: "EINVAL" });
  }
  const line = [escapeMeta(`"${file}"`), ...args.map((each) => escapeMeta(escapeMeta(quoteArgument(each))))].join(" ");
  const shell = readVariable(environment, "COMSPEC") ?? "cmd.exe";
  return { command: shell, args: ["/d", "/v:off", "/s", "/c", `"${line}"`], verbatim: true };
}

const escapeMeta = (text: string): string => text.replaceAll(META, "^$&");

/** Quotes for the way in which a program splits its command line: backslashes count only before a quote. */
function quoteArgument(text: string): string {
  return `"${text.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, "$1$1")}"`;
}
