import { type ChildProcess, spawn } from "node:child_process";
import { stripControlCharacters } from "../../../../lib/strip-control-characters";

interface ProgramOptions {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  timeoutMs: number;
  signal: AbortSignal;
  /** For a batch file, such as npm on Windows. */
  shell?: boolean;
}

export interface ProgramEnd {
  /** Null for a program that a signal ended, and for one that could not be started. */
  code: number | null;
  timedOut: boolean;
  /** The end of what it printed. */
  output: string;
}

const MAX_OUTPUT_CHARS = 8_192;
const KILL_AFTER_MS = 2_000;

/** Runs a program to its end, its limit, or the abort of the signal. Rejects for the last one alone. */
export async function runProgram(file: string, args: readonly string[], options: ProgramOptions): Promise<ProgramEnd> {
  const { env, cwd, timeoutMs, signal, shell = false } = options;
  signal.throwIfAborted();
  const child = spawn(file, [...args], {
    cwd,
    env: { ...env } as NodeJS.ProcessEnv,
    shell,
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  let output = "";
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString("utf8")).slice(-MAX_OUTPUT_CHARS);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  let timedOut = false;
  const end = (): void => endProgram(child);
  const timer = setTimeout(() => {
    timedOut = true;
    end();
  }, timeoutMs);
  signal.addEventListener("abort", end, { once: true });
  const code = await new Promise<number | null>((resolve) => {
    child.once("error", (error) => {
      keep(Buffer.from(error.message));
      resolve(null);
    });
    child.once("close", resolve);
  });
  clearTimeout(timer);
  signal.removeEventListener("abort", end);
  signal.throwIfAborted();
  return { code, timedOut, output: stripControlCharacters(output).trim() };
}

function endProgram(child: ChildProcess): void {
  child.kill("SIGTERM");
  setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS).unref();
}
