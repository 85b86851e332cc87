import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { moveFileSync } from "../../../../../scripts/move-file.mjs";
import { IS_WINDOWS } from "../../../../lib/platform";
import { type ListedProcess, listProcesses, listProcessesSync } from "./process-listing";
import { findRecorded, isOwned, type ProcessRecord, processRecordSchema } from "./process-record";

const ENDING = ".json";
const POLL_MS = 20;
const AFTER_KILL_MS = 1000;
/** The pause after the first message of a server; by then its processes have started. */
const FIRST_LISTING_MS = 1000;
/** While servers send messages, since they may start others. Windows takes half a second of processor time for a listing. */
const LISTING_INTERVAL_MS = IS_WINDOWS ? 300_000 : 60_000;
/** Windows knows no signal that a process may answer. */
const SIGNALS: readonly NodeJS.Signals[] = IS_WINDOWS ? ["SIGKILL", "SIGKILL"] : ["SIGTERM", "SIGKILL", "SIGKILL"];

/** Null until a folder is named: the engine alone keeps no records. */
let folder: string | null = null;
const records = new Map<string, ProcessRecord>();
let nextListing: { timer: NodeJS.Timeout; at: number } | null = null;

/** Records a process that has just been started. */
export function recordProcess(marker: string, pid: number): void {
  const record = {
    marker,
    owner: {
      pid: process.pid,
      startedAt: performance.timeOrigin,
    },
    leader: {
      pid,
      startedAt: Date.now(),
    },
    seen: [],
  };
  records.set(marker, record);
  writeRecord(record);
}

/** A server has sent something. @param isFirst its processes are not noted down yet */
export function recordActivity(isFirst: boolean): void {
  const inMs = isFirst ? FIRST_LISTING_MS : LISTING_INTERVAL_MS;
  if (nextListing !== null) {
    if (!isFirst || nextListing.at <= performance.now() + inMs) return;
    clearTimeout(nextListing.timer);
  }
  const timer = setTimeout(() => {
    nextListing = null;
    void noteProcesses();
  }, inMs).unref();
  nextListing = { timer, at: performance.now() + inMs };
}

async function noteProcesses(): Promise<void> {
  const listed = await listProcesses();
  if (listed === null) return;
  for (const record of records.values()) {
    const seen = findRecorded(record, listed).map(({ pid, startedAt }) => ({ pid, startedAt }));
    if (seen.length === 0) continue;
    record.seen = seen;
    writeRecord(record);
  }
}

/** Ends the remaining processes of a server, and forgets it. */
export async function endRecorded(marker: string, graceMs: number): Promise<void> {
  const record = records.get(marker);
  if (record === undefined) return;
  if (mayHaveLeft(record)) await endListed((listed) => findRecorded(record, listed), graceMs);
  forgetRecord(marker);
}

/** Kills the remaining processes of servers, synchronously, while this process exits. */
export function killRecorded(markers: ReadonlySet<string>): void {
  const left = [...markers].flatMap((marker) => records.get(marker) ?? []).filter(mayHaveLeft);
  const listed = left.length === 0 ? null : listProcessesSync();
  if (listed !== null) for (const record of left) send(findRecorded(record, listed), "SIGKILL");
  for (const marker of markers) forgetRecord(marker);
}

/**
 * Windows takes long for a listing, so it makes one only where a process is known to have stayed. Elsewhere a process
 * may have left its group unnoticed.
 */
const mayHaveLeft = ({ leader, seen }: ProcessRecord): boolean =>
  !IS_WINDOWS || seen.some(({ pid }) => pid !== leader.pid && isAlive(pid));

/** Ends processes that the folder names and whose Toolroom no longer runs; from here on records are kept there. @returns their number */
export async function takeOverRecords(inFolder: string, graceMs: number): Promise<number> {
  folder = inFolder;
  const stored = readRecords().filter(({ marker }) => !records.has(marker));
  if (stored.length === 0) return 0;
  const abandoned = new Set<ProcessRecord>();
  const ended = await endListed((listed) => {
    for (const record of stored) if (!isOwned(record, listed)) abandoned.add(record);
    return [...abandoned].flatMap((record) => findRecorded(record, listed));
  }, graceMs);
  for (const { marker } of abandoned) removeRecord(marker);
  return ended;
}

/** @returns the number of processes; 0 also where the system cannot be asked */
async function endListed(find: (listed: readonly ListedProcess[]) => ListedProcess[], graceMs: number) {
  const ended = new Set<number>();
  for (const signal of SIGNALS) {
    // Looked up again each time, since they may start others and an id may be used again.
    const listed = await listProcesses();
    const found = listed === null ? [] : find(listed);
    if (found.length === 0) break;
    send(found, signal);
    for (const { pid } of found) ended.add(pid);
    await waitForEnd(found, signal === "SIGTERM" ? graceMs : AFTER_KILL_MS);
  }
  return ended.size;
}

function send(processes: readonly ListedProcess[], signal: NodeJS.Signals): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has just ended, or belongs to another user.
    }
  }
}

async function waitForEnd(processes: readonly ListedProcess[], maxMs: number): Promise<void> {
  const deadline = performance.now() + maxMs;
  while (processes.some(({ pid }) => isAlive(pid)) && performance.now() < deadline) await sleep(POLL_MS);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The last part of a marker is unique. */
const toFile = (inFolder: string, marker: string): string =>
  path.join(inFolder, `${marker.slice(marker.lastIndexOf("/") + 1)}${ENDING}`);

/** Without a record, only the search for remaining processes fails, not the server. */
function writeRecord(record: ProcessRecord): void {
  if (folder === null) return;
  const file = toFile(folder, record.marker);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
    moveFileSync(`${file}.new`, file);
  } catch {
    // The disk is full, or the folder is gone.
  }
}

function forgetRecord(marker: string): void {
  if (records.delete(marker)) removeRecord(marker);
}

function removeRecord(marker: string): void {
  if (folder !== null) rmSync(toFile(folder, marker), { force: true });
}

/** Reads the records and removes invalid files. */
function readRecords(): ProcessRecord[] {
  if (folder === null) return [];
  const inFolder = folder;
  return listFiles(inFolder).flatMap((name) => {
    const file = path.join(inFolder, name);
    try {
      return [processRecordSchema.parse(JSON.parse(readFileSync(file, "utf8")))];
    } catch {
      rmSync(file, { force: true });
      return [];
    }
  });
}

function listFiles(inFolder: string): string[] {
  try {
    return readdirSync(inFolder).filter((name) => name.endsWith(ENDING));
  } catch {
    return [];
  }
}
