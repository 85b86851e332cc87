import { execFile, spawnSync } from "node:child_process";
import path from "node:path";
import { IS_WINDOWS } from "../../../../lib/platform";

/** A process as the system lists it where there is no `/proc`. */
export interface ListedProcess {
  pid: number;
  parent: number;
  /** Null on Windows, which has no process groups. */
  group: number | null;
  /** The start in milliseconds; `ps` gives seconds. */
  startedAt: number;
  /** The command, and its environment where the system shows it; empty on Windows. */
  text: string;
}

interface ListingCommand {
  file: string;
  args: readonly string[];
  parse(output: string): ListedProcess[];
}

const LIMIT_MS = 20_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** pid, parent, group, state, start, command. */
const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+\S{3} (\S{3}) +(\d+) (\d\d):(\d\d):(\d\d) (\d{4})(?: (.*))?$/;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const COLUMNS = "pid=,ppid=,pgid=,stat=,lstart=,command=";
/** 100 ns between 1601 and 1970, which Windows counts from. */
const FILE_TIME_1970 = 116_444_736_000_000_000n;

const ps = (environment: readonly string[]): ListingCommand => ({
  file: "ps",
  args: ["-axww", ...environment, "-o", COLUMNS],
  parse: parsePsListing,
});

/** Prints tab-separated numbers, which no language of the system and no character of a command changes. */
const CIM_QUERY =
  "Get-CimInstance Win32_Process | Where-Object CreationDate | ForEach-Object { " +
  '"$($_.ProcessId)`t$($_.ParentProcessId)`t$($_.CreationDate.ToFileTimeUtc())" }';

function listCommands(): ListingCommand[] {
  if (!IS_WINDOWS) {
    // macOS shows the environment of the user's own processes, unless they are protected; other systems do not know the option.
    return [ps(["-E"]), ps([])];
  }
  const file = path.win32.join(
    process.env.SystemRoot ?? "C:\\Windows",
    "System32\\WindowsPowerShell\\v1.0\\powershell.exe",
  );
  const args = ["-NoProfile", "-NonInteractive", "-Command", CIM_QUERY];
  return [{ file, args, parse: parseCimListing }];
}

const OPTIONS = {
  encoding: "utf8" as const,
  timeout: LIMIT_MS,
  maxBuffer: MAX_OUTPUT_BYTES,
  windowsHide: true,
};

/** Times in one zone, months in one language. */
const toOptions = () => ({
  ...OPTIONS,
  env: Object.assign({}, process.env, { LC_ALL: "C", TZ: "UTC0" }),
});

let listing: Promise<ListedProcess[] | null> | null = null;

/** Lists the system's processes; callers at the same time share one listing. @returns null where the system cannot be asked */
export function listProcesses(): Promise<ListedProcess[] | null> {
  listing ??= runFirst(listCommands()).finally(() => {
    listing = null;
  });
  return listing;
}

async function runFirst([command, ...others]: ListingCommand[]): Promise<ListedProcess[] | null> {
  if (command === undefined) return null;
  const output = await new Promise<string | null>((resolve) => {
    const child = execFile(command.file, command.args, toOptions(), (error, stdout) =>
      resolve(error === null ? stdout : null),
    );
    child.stdin?.end();
  });
  return confirmListing(command, output) ?? runFirst(others);
}

/** Lists the processes synchronously, while this process exits. */
export function listProcessesSync(): ListedProcess[] | null {
  for (const command of listCommands()) {
    const { status, stdout } = spawnSync(command.file, command.args, toOptions());
    const found = confirmListing(command, status === 0 ? stdout : null);
    if (found !== null) return found;
  }
  return null;
}

/** A listing without this process is invalid: some replacements of the programs succeed and print nothing. */
function confirmListing({ parse }: ListingCommand, output: string | null): ListedProcess[] | null {
  const found = output === null ? [] : parse(output);
  return found.some(({ pid }) => pid === process.pid) ? found : null;
}

/** Leaves out processes that have ended and wait for their parent. */
export function parsePsListing(output: string): ListedProcess[] {
  return output.split("\n").flatMap((line) => {
    const [, pid, parent, group, state, month = "", day, hours, minutes, seconds, year, text = ""] =
      PS_LINE.exec(line.trimEnd()) ?? [];
    if (pid === undefined || state?.startsWith("Z")) return [];
    const startedAt = Date.UTC(
      Number(year),
      MONTHS.indexOf(month),
      Number(day),
      Number(hours),
      Number(minutes),
      Number(seconds),
    );
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        startedAt,
        text,
      },
    ];
  });
}

export function parseCimListing(output: string): ListedProcess[] {
  return output.split(/\r?\n/).flatMap((line) => {
    const [, pid, parent, created] = /^\s*(\d+)\t(\d+)\t(\d+)\s*$/.exec(line) ?? [];
    if (pid === undefined || created === undefined) return [];
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: null,
        startedAt: Number((BigInt(created) - FILE_TIME_1970) / 10_000n),
        text: "",
      },
    ];
  });
}
