import type { Actor } from "../../../lib/contract/actor";
import type { ChangedToolsPolicy, HeldChange } from "../../../lib/contract/held-change";
import { getMessage } from "../../../lib/get-message";
import { equalJson } from "../../../lib/json/equal-json";
import { compareEntries } from "../../../lib/schema/compare/compare-tool";
import type { ListedTool } from "../../engine/mcp-ports";
import type { Clock, Logger } from "../../engine/ports";
import { TimeSlice } from "../../engine/time-slice";
import { findAppliedChanges } from "./applied-changes";
import type { AppliedChange, AppliedStore, PinChange, PinStore, StoredAppliedChange, ToolPin } from "./server-store";
import { byName, findSameTool, getToolName, hashChanged, hashEntry, isRemoval } from "./tool-entries";

/** The number of pins of one server. The removal of a tool beyond them does not wait. */
const MAX_PINS = 5_000;

/** The gate's state of a server in memory. */
export interface GateState {
  /** Pins by the server's name of a tool. */
  pins: Map<string, ToolPin>;
  held: Map<string, HeldChange>;
  /** Breaking changes that are in use, and that no user has accepted. */
  applied: Map<string, AppliedChange>;
}

export function createGateState(): GateState {
  return { pins: new Map(), held: new Map(), applied: new Map() };
}

export interface GatedServer {
  name: string;
  policy: ChangedToolsPolicy;
  state: GateState;
  /** The server's list, and the one before it; null for the first one known. */
  listed: readonly ListedTool[];
  before: readonly ListedTool[] | null;
}

/** A list in the form for the catalog. */
export interface GatedList {
  /** The list with the approved entry of each tool whose change or removal waits. A new tool that waits is as listed. */
  listed: readonly ListedTool[];
  /** The approvers of listed entries, by the server's name of a tool. */
  approvedBy: Map<string, Actor>;
}

/** Whether recorded calls speak against a change that no schema speaks against. */
export type QuestionChange = (server: string, tool: string, before: ListedTool, after: ListedTool) => Promise<boolean>;

interface GatePorts {
  store: PinStore;
  applied: AppliedStore;
  /** Absent: the schemas alone decide. */
  isQuestioned?: QuestionChange | undefined;
  /** Called where recorded calls question changes that are in use. */
  onApplied?: ((server: string) => void) | undefined;
  clock: Clock;
  logger: Logger;
}

/**
 * Applies a server's policy for changed tools to its list. An entry waits until a user approves it, and is compared with
 * the approved one, not with the list before. Updates `state`.
 */
export async function gateTools(server: GatedServer, ports: GatePorts): Promise<GatedList> {
  const { name, policy, state } = server;
  await followApplied(server, ports);
  if (policy === "off") {
    state.held = new Map();
    // Changes that waited are in use from now on: a policy that is set later begins with what is listed then.
    if (state.pins.size > 0) await save(ports, name, () => ports.store.clear(name));
    state.pins = new Map();
    return { listed: server.listed, approvedBy: new Map() };
  }
  const gate = new Gate(server, ports.clock.now(), ports.isQuestioned);
  const changes = await gate.check();
  if (changes.length > 0) {
    const kept = await save(ports, name, () => ports.store.change(name, changes));
    // A user may have decided while this was stored. A change that could not be stored waits in memory.
    if (kept) state.pins = toPins(await ports.store.list(name));
    else for (const change of changes) gate.applyHere(change);
  }
  return gate.result();
}

/** Records breaking changes that a list puts into use. */
async function followApplied({ name, policy, state, listed, before }: GatedServer, ports: GatePorts): Promise<void> {
  // The list is not known yet.
  if (before === null && listed.length === 0) return;
  const { update, doubtful } = await findAppliedChanges({
    applied: state.applied,
    pins: state.pins,
    before: before === null ? null : byName(before),
    present: byName(listed),
    usesAtOnce: policy === "off",
    now: ports.clock.now(),
  });
  if (doubtful.length > 0) void questionApplied(name, doubtful, byName(listed), { state, ports });
  if (update.put.length === 0 && update.delete.length === 0) return;
  for (const change of update.put) state.applied.set(change.tool, change);
  for (const tool of update.delete) state.applied.delete(tool);
  await save(ports, name, () => ports.applied.change(name, update));
}

/** The changes are in use already: those that recorded calls speak against are listed later. Never rejects. */
async function questionApplied(
  server: string,
  changes: readonly AppliedChange[],
  listed: ReadonlyMap<string, ListedTool>,
  { state, ports }: { state: GateState; ports: GatePorts },
): Promise<void> {
  const put: AppliedChange[] = [];
  for (const change of changes) {
    const after = listed.get(change.tool);
    if (after === undefined || ports.isQuestioned === undefined) continue;
    if (await ports.isQuestioned(server, change.tool, change.before.entry, after)) put.push(change);
  }
  const found = put.filter(({ tool }) => !state.applied.has(tool));
  if (found.length === 0) return;
  for (const change of found) state.applied.set(change.tool, change);
  await save(ports, server, () => ports.applied.change(server, { put: found, delete: [] }));
  ports.onApplied?.(server);
}

export function toApplied(changes: readonly StoredAppliedChange[]): Map<string, AppliedChange> {
  const toChange = ({ before, ...change }: StoredAppliedChange): AppliedChange => ({
    ...change,
    before: { hash: hashEntry(before), entry: before },
  });
  return new Map(changes.map((change) => [change.tool, toChange(change)]));
}

export function toPins(pins: readonly ToolPin[]): Map<string, ToolPin> {
  return new Map(pins.map((pin) => [pin.tool, pin]));
}

async function save({ logger }: GatePorts, server: string, write: () => Promise<void>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    logger.error({ server, error: getMessage(error) }, "The changes of the server's tools could not be stored");
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

  async check(): Promise<PinChange[]> {
    const { listed, before, state } = this.#server;
    const slice = new TimeSlice();
    const changes: PinChange[] = [];
    const present = byName(listed);
    for (const [tool, entry] of present) {
      await slice.pause();
      const change = await this.#checkEntry(tool, entry);
      if (change !== null) changes.push(change);
    }
    if (before === null) return changes;
    let room = MAX_PINS - state.pins.size;
    for (const [tool, entry] of this.#before) {
      if (present.has(tool)) continue;
      await slice.pause();
      const pin = state.pins.get(tool);
      if (pin === undefined && room-- <= 0) continue;
      const change = this.#checkRemoval(tool, pin === undefined ? toApproved(entry) : pin.approved, pin?.held ?? null);
      if (change !== null) changes.push(change);
    }
    return changes;
  }

  /** A decision outlasts a list without the tool: users may see different lists, and a server can alternate. */
  #checkRemoval(tool: string, approved: ToolPin["approved"], held: ToolPin["held"]): PinChange | null {
    if (approved === null || isRemoval(approved.hash)) return null;
    const hash = hashChanged(undefined, approved.hash);
    if (held !== null && (held.status !== "open" || held.hash === hash)) return null;
    return { kind: "hold", tool, hash, at: this.#now, approved };
  }

  async #checkEntry(tool: string, entry: ListedTool): Promise<PinChange | null> {
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
    // A block outlasts a list without the change: users may see different lists, and a server can alternate.
    if (approved?.hash === hash) return pin?.held?.status === "open" ? { kind: "pass", tool, approved } : null;
    // The tool is back as it was when its removal was approved.
    if (approved !== null && isRemoval(approved.hash) && hashEntry(approved.entry) === hash) {
      return { kind: "pass", tool, approved: { hash, entry } };
    }
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
    for (const pin of state.pins.values()) {
      if (seen.has(pin.tool) || pin.held === null || pin.approved === null || !isRemoval(pin.held.hash)) continue;
      held.set(pin.tool, this.#heldChange(pin, undefined, pin.held.hash));
      shown.push(pin.approved.entry);
    }
    state.held = held;
    return { listed: shown, approvedBy };
  }

  /** @param entry undefined where the tool is gone */
  #heldChange(pin: ToolPin, entry: ListedTool | undefined, hash: string): HeldChange {
    const { tool, approved, held, decidedBy, decidedAt } = pin;
    const isDecided = held?.hash === hash && held.status !== "open";
    return {
      server: this.#server.name,
      tool,
      hash,
      status: isDecided ? held.status : "open",
      ...describeChange(approved?.entry, entry, this.#server.listed),
      heldAt: held?.hash === hash ? held.at : this.#now,
      decidedBy: isDecided ? decidedBy : null,
      decidedAt: isDecided ? decidedAt : null,
    };
  }
}

function toApproved(entry: ListedTool | undefined): ToolPin["approved"] {
  return entry === undefined ? null : { hash: hashEntry(entry), entry };
}

/** @param entry undefined where the tool is gone */
function describeChange(
  before: ListedTool | undefined,
  entry: ListedTool | undefined,
  listed: readonly ListedTool[],
): Pick<HeldChange, "kind" | "details" | "renamedTo"> {
  if (entry === undefined) {
    const renamedTo = before === undefined ? null : findSameTool(before, listed);
    const renamed = renamedTo === null ? [] : [`the server lists the same tool as '${renamedTo.slice(0, 200)}'`];
    return { kind: "removed", details: ["the tool was removed", ...renamed], renamedTo };
  }
  if (before === undefined) return { kind: "added", details: [], renamedTo: null };
  const change = compareEntries(before, entry);
  return { kind: change?.kind ?? "wording", details: change?.details ?? [], renamedTo: null };
}

/** The breaking changes that are in use without a review, except those of tools with a change that waits. */
export function listApplied(server: string, { applied, held }: GateState, listed: readonly ListedTool[]): HeldChange[] {
  if (applied.size === 0) return [];
  const entries = byName(listed);
  return [...applied.values()].flatMap(({ tool, hash, before, at }) => {
    if (held.has(tool)) return [];
    const described = describeChange(before.entry, entries.get(tool), listed);
    return [{ server, tool, hash, status: "applied", heldAt: at, decidedBy: null, decidedAt: null, ...described }];
  });
}

/** A change that waits or is in use without a review, with both entries of the server's list. */
export interface WaitingEntry {
  tool: string;
  hash: string;
  /** Null for a new tool. */
  before: { entry: ListedTool } | null;
  /** Undefined where the tool is gone. */
  after: ListedTool | undefined;
}

export function listWaiting({ held, pins, applied }: GateState, listed: readonly ListedTool[]): WaitingEntry[] {
  if (held.size === 0 && applied.size === 0) return [];
  const entries = byName(listed);
  const waiting = [...held.values()].flatMap(({ tool, hash }) => {
    const after = entries.get(tool);
    if (after === undefined && !isRemoval(hash)) return [];
    return [{ tool, hash, before: pins.get(tool)?.approved ?? null, after }];
  });
  const used = [...applied.values()].filter(({ tool }) => !held.has(tool));
  return [...waiting, ...used.map(({ tool, hash, before }) => ({ tool, hash, before, after: entries.get(tool) }))];
}

/** The list that clients are given: approved entries in place of changes that wait, without new tools that do. */
export function listApproved({ held, pins }: GateState, listed: readonly ListedTool[]): ListedTool[] {
  const shown = listed.flatMap((entry) => {
    const tool = getToolName(entry);
    return tool === null || !held.has(tool) ? [entry] : (pins.get(tool)?.approved?.entry ?? []);
  });
  const removed = [...held.values()].filter(({ hash }) => isRemoval(hash));
  return [...shown, ...removed.flatMap(({ tool }) => pins.get(tool)?.approved?.entry ?? [])];
}
