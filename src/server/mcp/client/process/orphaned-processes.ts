import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep, setImmediate as yieldToEventLoop } from "node:timers/promises";

/** Set in the environment of a stdio server, and so inherited by every process that it starts. */
export const MARKER_VARIABLE = "TOOLROOM_SERVER_ID";
const POLL_MS = 20;
/** Reading this many takes a few milliseconds. */
const PIDS_PER_SLICE = 200;
const AFTER_KILL_MS = 1000;

let ownPrefix: string | null = null;

/** A marker for one process to be started. It identifies this process, so that a later one can tell whether it still runs. */
export function createMarker(): string {
  ownPrefix ??= `${pidNamespace()}/${process.pid}/${readStartTime(process.pid) ?? ""}`;
  return `${ownPrefix}/${randomUUID()}`;
}

type Matches = (marker: string) => boolean;

/** Ends the processes with a marker: SIGTERM, and after `graceMs` SIGKILL. @returns their number */
export function endMarked(marker: string, graceMs: number): Promise<number> {
  return endMatching((value) => value === marker, graceMs);
}

/** Kills the processes with one of the markers, synchronously, while this process exits. */
export function killMarked(markers: ReadonlySet<string>): void {
  const matches: Matches = (value) => markers.has(value);
  signalAll(listProcesses(), matches, "SIGKILL");
}

/** Ends processes whose Toolroom process no longer runs. @returns their number */
export const endOrphaned = (graceMs: number): Promise<number> => endMatching(isOrphaned, graceMs);

async function endMatching(matches: Matches, graceMs: number): Promise<number> {
  const ended = new Set<number>();
  const startedAt = performance.now();
  for (;;) {
    // Searched again each time, since processes may start others.
    const pids = await find(matches);
    const elapsed = performance.now() - startedAt;
    if (pids.length === 0 || elapsed > graceMs + AFTER_KILL_MS) return ended.size;
    if (elapsed >= graceMs) signalAll(pids, matches, "SIGKILL");
    else
      signalAll(
        pids.filter((pid) => !ended.has(pid)),
        matches,
        "SIGTERM",
      );
    for (const pid of pids) ended.add(pid);
    await sleep(POLL_MS);
  }
}

/** Yields to other work, since a machine may run thousands of processes. */
async function find(matches: Matches): Promise<number[]> {
  const found: number[] = [];
  for (const [at, pid] of listProcesses().entries()) {
    if (at % PIDS_PER_SLICE === 0) await yieldToEventLoop();
    if (isMarked(pid, matches)) found.push(pid);
  }
  return found;
}

/** Reads processes on Linux; see `stray-processes.ts` for other systems. */
function listProcesses(): number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => pid !== process.pid);
}

function isMarked(pid: number, matches: Matches): boolean {
  const marker = readMarker(pid);
  return marker !== null && matches(marker);
}

/** Null also for a process that has ended or belongs to another user. */
function readMarker(pid: number): string | null {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, "latin1");
    const at = `\0${environment}`.indexOf(`\0${MARKER_VARIABLE}=`);
    if (at === -1) return null;
    return environment.slice(at + MARKER_VARIABLE.length + 1).split("\0", 1)[0] ?? null;
  } catch {
    return null;
  }
}

function isOrphaned(marker: string): boolean {
  const [namespace, pid, startTime] = marker.split("/");
  // Process ids of another namespace, such as a container's, mean nothing here.
  if (namespace === "" || namespace !== pidNamespace() || !/^\d+$/.test(pid ?? "")) return false;
  return readStartTime(Number(pid)) !== startTime;
}

function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "";
  } catch {
    return "";
  }
}

/** The start time in clock ticks since boot: together with its id it identifies a process uniquely. */
function readStartTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // Field 22; the name, field 2, may have any characters.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

/** Checks each process again right before, since its id may have been reused. */
function signalAll(pids: readonly number[], matches: Matches, signal: NodeJS.Signals): void {
  for (const pid of pids) {
    if (!isMarked(pid, matches)) continue;
    try {
      process.kill(pid, signal);
    } catch {
      // The process has just ended.
    }
  }
}
