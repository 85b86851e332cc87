import { isPlainObject } from "../../../lib/contract/json";
import { REDACTED } from "../../../lib/masked-value";
import type { ListedTool } from "../../engine/mcp-ports";
import { TimeSlice } from "../../engine/time-slice";
import type { KnownServer } from "./server-directory";
import type { PinChange } from "./server-store";
import { findEntry, getToolName, hashEntry } from "./tool-entries";

/** Stored entries that are nested deeper are replaced as any change of the server. */
const MAX_DEPTH = 200;

/**
 * Earlier versions stored lists with masks in place of values of servers' settings. Puts the received entry in place of
 * each stored one that differs in masks alone, in the list and in what was approved: that is no change of the server.
 * @returns what has to be stored of the pins; null where nothing was masked
 */
export async function restoreMaskedEntries(
  server: Pick<KnownServer, "listed" | "gate">,
  received: readonly ListedTool[],
): Promise<PinChange[] | null> {
  const slice = new TimeSlice();
  const current = new Map<ListedTool, ListedTool>();
  const changes: PinChange[] = [];
  for (const entry of server.listed) {
    await slice.pause();
    const tool = hasMasks(entry) ? getToolName(entry) : null;
    const found = tool === null ? undefined : findEntry(received, tool);
    if (found !== undefined && isMaskedForm(entry, found)) current.set(entry, found);
  }
  for (const [tool, pin] of server.gate.pins) {
    await slice.pause();
    const stored = findEntry(server.listed, tool);
    const found = findEntry(received, tool);
    if (found === undefined) continue;
    const hash = hashEntry(found);
    const { approved, held } = pin;
    const isApproved = approved !== null && hasMasks(approved.entry) && isMaskedForm(approved.entry, found);
    const isHeld = held !== null && stored !== undefined && current.has(stored) && held.hash === hashEntry(stored);
    if (!isApproved && !isHeld) continue;
    const restored = {
      approved: isApproved ? { hash, entry: found } : approved,
      held: isHeld ? { ...held, hash } : held,
    };
    server.gate.pins.set(tool, { ...pin, ...restored });
    changes.push({ kind: "restore", tool, approved: restored.approved, heldHash: restored.held?.hash ?? null });
  }
  if (current.size === 0 && changes.length === 0) return null;
  server.listed = server.listed.map((entry) => current.get(entry) ?? entry);
  return changes;
}

const hasMasks = (entry: ListedTool): boolean => JSON.stringify(entry)?.includes(REDACTED) === true;

function isMaskedForm(stored: unknown, received: unknown, depth = 0): boolean {
  if (depth > MAX_DEPTH) return false;
  if (typeof stored === "string") return isMaskedText(stored, received);
  if (Array.isArray(stored)) {
    if (!Array.isArray(received) || received.length !== stored.length) return false;
    return stored.every((item, at) => isMaskedForm(item, received[at], depth + 1));
  }
  if (!isPlainObject(stored)) return stored === received;
  if (!isPlainObject(received)) return false;
  const keys = Object.keys(stored);
  const others = Object.keys(received);
  // Keys were masked too, and keep their order.
  return (
    keys.length === others.length &&
    keys.every((key, at) => {
      const other = others[at] ?? "";
      return isMaskedText(key, other) && isMaskedForm(stored[key], received[other], depth + 1);
    })
  );
}

function isMaskedText(stored: string, received: unknown): boolean {
  if (typeof received === "number") return stored === REDACTED;
  if (typeof received !== "string") return false;
  if (stored === received) return true;
  const parts = stored.split(REDACTED);
  if (parts.length === 1) return false;
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (!received.startsWith(first) || !received.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = received.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= received.length - last.length;
}
