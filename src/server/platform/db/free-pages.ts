import { setTimeout } from "node:timers/promises";
import type { SqliteDatabase } from "./database";
import type { RawDatabase } from "./sqlite/connection";

/** The number of pages moved by the first step; the next ones depend on its duration. */
const FIRST_PAGES = 16;
const MOST_PAGES = 1_024;
const TARGET_MS = 15;
/** The share of pages that stay free: the next calls would only take new ones from the disk. */
const KEPT_SHARE = 0.05;
const KEPT_PAGES = 256;
const INCREMENTAL = 2;

/** Whether free pages can be given back while the server runs: files of versions before this one first have to be compacted. */
export function canReleasePages(raw: RawDatabase): boolean {
  return Number(raw.pragma("auto_vacuum", { simple: true })) === INCREMENTAL;
}

/**
 * Moves pages from the end of the file into free ones, a few at a time, until little is free. The file becomes shorter with the next
 * checkpoint. @returns by how many bytes
 */
export async function releaseFreePages(
  { raw, write, noteWritten }: Pick<SqliteDatabase, "raw" | "write" | "noteWritten">,
  signal: AbortSignal,
): Promise<number> {
  const read = (pragma: string): number => Number(raw.pragma(pragma, { simple: true }));
  if (!canReleasePages(raw)) return 0;
  const before = read("page_count");
  const kept = Math.max(KEPT_PAGES, Math.ceil((before - read("freelist_count")) * KEPT_SHARE));
  let step = FIRST_PAGES;
  for (let free = read("freelist_count"); free > kept && !signal.aborted; ) {
    const pages = Math.min(step, free - kept);
    const begun = performance.now();
    await write(() => void raw.pragma(`incremental_vacuum(${pages})`));
    const tookMs = performance.now() - begun;
    // Each page that moves is written once, and so is the map that says where it is.
    noteWritten(2 * pages);
    if (tookMs < TARGET_MS / 2) step = Math.min(step * 2, MOST_PAGES);
    else if (tookMs > TARGET_MS) step = Math.max(1, step >> 1);
    await setTimeout(Math.min(tookMs, 100));
    const left = read("freelist_count");
    if (left >= free) break;
    free = left;
  }
  return Math.max(0, before - read("page_count")) * read("page_size");
}
