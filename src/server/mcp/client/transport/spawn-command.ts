import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { IS_WINDOWS } from "../../../../lib/platform";
import { ConnectionError } from "../session/connection-error";
import { resolveWindowsCommand, type WindowsFiles } from "./windows-command";

const FILES: WindowsFiles = {
  isFile: (file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true,
  readText: (file) => readFileSync(file, "utf8"),
};

export interface StdioCommand {
  command: string;
  args: readonly string[];
  environment: Record<string, string>;
  cwd: string;
}

/**
 * Starts a command in a process group of its own. A command that is missing is reported by the process's `error` event.
 * @throws ConnectionError
 */
export function spawnCommand(
  { command, args, environment, cwd }: StdioCommand,
  marker: Record<string, string>,
): ChildProcessWithoutNullStreams {
  assertFolder(cwd);
  try {
    const started = IS_WINDOWS
      ? resolveWindowsCommand({ command, args, environment, cwd }, process.execPath, FILES)
      : { command, args: [...args], verbatim: false };
    return spawn(started.command, started.args, {
      cwd,
      windowsVerbatimArguments: started.verbatim,
      env: { ...environment, ...marker } as NodeJS.ProcessEnv,
      stdio: ["pipe", "pipe", "pipe"],
      detached: !IS_WINDOWS,
      windowsHide: true,
    });
  } catch (error) {
    throw toSpawnError(error as NodeJS.ErrnoException, command);
  }
}

/** Creates a private folder. @throws ConnectionError */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConnectionError("failed", `The working folder '${folder}' could not be made (${code}): set 'cwd'`);
  }
}

/** Node reports a missing working directory as a missing command. */
function assertFolder(cwd: string): void {
  const found = statSync(cwd, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  const what = found === undefined ? "does not exist" : "is no folder";
  throw new ConnectionError("failed", `The working folder '${cwd}' ${what}: create it or change the server's 'cwd'`);
}

export function toSpawnError(error: NodeJS.ErrnoException, command: string): ConnectionError {
  const options = { cause: error };
  switch (error.code) {
    case "ENOENT":
      return new ConnectionError(
        "failed",
        `The command '${command}' was not found${explainSearch(error)}: install it, give its full path, or set PATH in the server's environment`,
        options,
      );
    case "EACCES":
      return new ConnectionError(
        "failed",
        `The command '${command}' is not executable: check its permissions`,
        options,
      );
    case "EINVAL":
      return new ConnectionError("failed", `The command '${command}' cannot be started: ${error.message}`, options);
    case "EAGAIN":
    case "EMFILE":
    case "ENFILE":
    case "ENOMEM":
      return new ConnectionError(
        "disconnected",
        `The system could not create another process (${error.code})`,
        options,
      );
    default:
      return new ConnectionError("failed", `The command '${command}' could not be started: ${error.message}`, options);
  }
}

/** The searched folders, which only the search on Windows knows. */
const explainSearch = ({ syscall, message }: NodeJS.ErrnoException): string =>
  syscall === undefined ? ` (${message})` : "";
