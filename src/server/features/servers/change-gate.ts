import { createHash } from "node:crypto";
import type { Actor } from "../../../lib/contract/actor";
import type { ChangedToolsPolicy, HeldChange } from "../../../lib/contract/held-change";
import { isPlainObject } from "../../../lib/contract/json";
import { getMessage } from "../../../lib/get-message";
import { canonicalJson } from "../../../lib/json/canonical-json";
import { equalJson } from "../../../lib/json/equal-json";
import { compareEntries } from "../../../lib/schema/compare/compare-tool";
import type { ListedTool } from "../../engine/mcp-ports";
import type { Clock, Logger } from "../../engine/ports";
import { TimeSlice } from "../../engine/time-slice";
import type { PinChange, PinStore, ToolPin } from "./server-store";

/** The pins of one server. A removed tool beyond them is not remembered: it returns as a new one. */
const MAX_PINS = 5_000;

/** The gate's state of a server in memory. */
export interface GateState {
  /** By the server's name of a tool. */
  pins: Map<string, ToolPin>;
  held: Map<string, HeldChange>;
}

export interface GatedServer {
  name: string;
  policy: ChangedToolsPolicy;
  state: GateState;
  /** The server's list, and the one before it; null for the first one known. */
  listed: readonly ListedTool[];
  before: readonly ListedTool[] | null;
}

/** A list as the catalog may have it. */
export interface GatedList {
  /** The list with the approved entry of each tool whose change waits. A new tool that waits is as listed. */
  listed: readonly ListedTool[];
  /** By the server's name of a tool: who approved what is listed. */
  approvedBy: Map<string, Actor>;
}

/** Whether recorded calls speak against a change that no schema speaks against. */
export type QuestionChange = (server: string, tool: string, before: ListedTool, after: ListedTool) => Promise<boolean>;

interface GatePorts {
  store: PinStore;
  /** Absent: the schemas alone decide. */
  isQuestioned?: QuestionChange | undefined;
  clock: Clock;
  logger: Logger;
}

export function hashEntry(entry: ListedTool): string {
  return createHash("sha256").update(canonicalJson(entry)).digest("hex");
}

/**
 * Applies a server's policy for changed tools to its list. An entry waits until a person approves it, and is compared with
 * the approved one, not with the list before. Updates `state`.
 */
export async function gateTools(server: GatedServer, ports: GatePorts): Promise<GatedList> {
  const { name, policy, state } = server;
  if (policy === "off") {
    state.held = new Map();
    // Changes that waited are in use from now on: a policy that is set later begins with what is listed then.
    if (state.pins.size > 0) await save(ports, name, () => ports.store.clear(name));
    state.pins = new Map();
    return { listed: server.listed, approvedBy: new Map() };
  }
  const gate = new Gate(server, ports.clock.now(), ports.isQuestioned);
  const changes = await gate.judge();
  if (changes.length > 0) {
    const kept = await save(ports, name, () => ports.store.change(name, changes));
    // A person may have decided meanwhile. What could not be stored is held in memory.
    if (kept) state.pins = toPins(await ports.store.list(name));
    else for (const change of changes) gate.applyHere(change);
  }
  return gate.result();
}

export function toPins(pins: readonly ToolPin[]): Map<string, ToolPin> {
  return new Map(pins.map((pin) => [pin.tool, pin]));
}

async function save({ logger }: GatePorts, server: string, write: () => Promise<void>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    logger.error({ server, error: getMessage(error) }, "The approvals of the server's tools could not be stored");
    return false;
  }
}

class Gate {
  readonly #server: GatedServer;
  readonly #now: number;
  readonly #isQuestioned: QuestionChange;
  readonly #before: ReadonlyMap<string, ListedTool>;
  readonly #hashes = new Map<string, string>();
  /** Entries that are in use here, and that this process saw no change of. */
  readonly #inUse = new Set<string>();

  constructor(server: GatedServer, now: number, isQuestioned: QuestionChange = async () => false) {
    this.#server = server;
    this.#now = now;
    this.#isQuestioned = isQuestioned;
    this.#before = byName(server.before ?? []);
  }

  async judge(): Promise<PinChange[]> {
    const { listed, before, state } = this.#server;
    const slice = new TimeSlice();
    const changes: PinChange[] = [];
    const present = byName(listed);
    for (const [tool, entry] of present) {
      await slice.pause();
      const change = await this.#judgeEntry(tool, entry);
      if (change !== null) changes.push(change);
    }
    if (before === null) return changes;
    let room = MAX_PINS - state.pins.size;
    for (const [tool, entry] of this.#before) {
      if (present.has(tool) || state.pins.has(tool) || room-- <= 0) continue;
      await slice.pause();
      changes.push({ kind: "remember", tool, approved: { hash: hashEntry(entry), entry } });
    }
    return changes;
  }

  async #judgeEntry(tool: string, entry: ListedTool): Promise<PinChange | null> {
    const { before, state } = this.#server;
    const pin = state.pins.get(tool);
    const previous = this.#before.get(tool);
    const unchanged = previous !== undefined && equalJson(previous, entry);
    if (pin === undefined && (before === null || unchanged)) return null;
    const hash = hashEntry(entry);
    this.#hashes.set(tool, hash);
    if (unchanged && !state.held.has(tool) && pin?.held?.hash !== hash) this.#inUse.add(tool);
    if (this.#inUse.has(tool)) return null;
    const approved = pin === undefined ? toApproved(previous) : pin.approved;
    // A block outlasts a list without the change: lists of people differ, and a server can go back and forth.
    if (approved?.hash === hash) return pin?.held?.status === "open" ? { kind: "pass", tool, approved } : null;
    const isDecided = pin?.held?.hash === hash && pin.held.status !== "open";
    if (!isDecided && (await this.#passes(tool, approved, entry))) {
      return pin === undefined ? null : { kind: "pass", tool, approved: { hash, entry } };
    }
    return pin?.held?.hash === hash ? null : { kind: "hold", tool, hash, at: this.#now, approved };
  }

  async #passes(tool: string, approved: ToolPin["approved"], entry: ListedTool): Promise<boolean> {
    const { name, policy } = this.#server;
    if (policy !== "auto") return false;
    if (approved === null) return true;
    if (compareEntries(approved.entry, entry)?.kind === "breaking") return false;
    return !(await this.#isQuestioned(name, tool, approved.entry, entry));
  }

  applyHere(change: PinChange): void {
    const { pins } = this.#server.state;
    const { tool, approved } = change;
    const pin = pins.get(tool) ?? { tool, approved, held: null, decidedBy: null, decidedAt: null };
    if (change.kind === "restore") return;
    if (change.kind === "hold") {
      pins.set(tool, { ...pin, held: { hash: change.hash, at: change.at, status: "open" } });
    } else {
      pins.set(tool, { ...pin, approved, held: null });
    }
  }

  result(): GatedList {
    const { listed, state } = this.#server;
    const held = new Map<string, HeldChange>();
    const approvedBy = new Map<string, Actor>();
    const seen = new Set<string>();
    const shown: ListedTool[] = [];
    for (const entry of listed) {
      const tool = getToolName(entry);
      const pin = tool === null || seen.has(tool) ? undefined : state.pins.get(tool);
      if (tool !== null) seen.add(tool);
      if (tool === null || pin === undefined || this.#inUse.has(tool)) {
        shown.push(entry);
        continue;
      }
      const hash = this.#hashes.get(tool) ?? hashEntry(entry);
      if (pin.approved?.hash === hash) {
        if (pin.decidedBy !== null && pin.held === null) approvedBy.set(tool, pin.decidedBy);
        shown.push(entry);
        continue;
      }
      held.set(tool, this.#heldChange(pin, entry, hash));
      shown.push(pin.approved?.entry ?? entry);
    }
    state.held = held;
    return { listed: shown, approvedBy };
  }

  #heldChange({ tool, approved, held, decidedBy, decidedAt }: ToolPin, entry: ListedTool, hash: string): HeldChange {
    const change = approved === null ? null : compareEntries(approved.entry, entry);
    const isDecided = held?.hash === hash && held.status !== "open";
    return {
      ...{ server: this.#server.name, tool, hash },
      status: isDecided ? held.status : "open",
      kind: approved === null ? "added" : (change?.kind ?? "wording"),
      details: change?.details ?? [],
      heldAt: held?.hash === hash ? held.at : this.#now,
      decidedBy: isDecided ? decidedBy : null,
      decidedAt: isDecided ? decidedAt : null,
    };
  }
}

function toApproved(entry: ListedTool | undefined): ToolPin["approved"] {
  return entry === undefined ? null : { hash: hashEntry(entry), entry };
}

/** The first of several entries with one name counts, as in the catalog. */
function byName(listed: readonly ListedTool[]): Map<string, ListedTool> {
  const found = new Map<string, ListedTool>();
  for (const entry of listed) {
    const tool = getToolName(entry);
    if (tool !== null && !found.has(tool)) found.set(tool, entry);
  }
  return found;
}

export function findEntry(listed: readonly ListedTool[], tool: string): ListedTool | undefined {
  return listed.find((entry) => getToolName(entry) === tool);
}

/** The server's name of a tool; null for an entry without one. */
export function getToolName(entry: ListedTool): string | null {
  if (!isPlainObject(entry) || !Object.hasOwn(entry, "name")) return null;
  const { name } = entry;
  return typeof name === "string" && name !== "" ? name : null;
}

/** A change that waits, with both entries of the server's list. */
export interface WaitingEntry {
  tool: string;
  hash: string;
  /** Null for a new tool. */
  before: { entry: ListedTool } | null;
  after: ListedTool;
}

export function listWaiting(gate: GateState, listed: readonly ListedTool[]): WaitingEntry[] {
  if (gate.held.size === 0) return [];
  const entries = byName(listed);
  return [...gate.held.values()].flatMap(({ tool, hash }) => {
    const after = entries.get(tool);
    return after === undefined ? [] : [{ tool, hash, before: gate.pins.get(tool)?.approved ?? null, after }];
  });
}

/** The list that clients are given: approved entries in place of changes that wait, without new tools that do. */
export function listApproved({ held, pins }: GateState, listed: readonly ListedTool[]): ListedTool[] {
  return listed.flatMap((entry) => {
    const tool = getToolName(entry);
    return tool === null || !held.has(tool) ? [entry] : (pins.get(tool)?.approved?.entry ?? []);
  });
}
