import type { Actor } from "../../../lib/contract/actor";
import type { ConnectionState } from "../../../lib/contract/connection-state";
import { type HeldChange, refusesCalls } from "../../../lib/contract/held-change";
import type { LastEdit } from "../../../lib/contract/last-edit";
import type { SchemaNote } from "../../../lib/contract/schema-note";
import type { ServerDetail, ServerSettings, ServerSummary } from "../../../lib/contract/server";
import { DISABLED_CONNECTION } from "../../../lib/contract/server";
import type { ServerTool, ToolChange, ToolChangeSet } from "../../../lib/contract/server-tool";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { describeTarget, getAuth } from "../../../lib/server-settings/setting-fields";
import type { ListedTool, McpConnections } from "../../engine/mcp-ports";
import { keepKnownOrder } from "../../engine/registry/keep-known-order";
import { compareTools, differsInDigits, sameTools } from "../../engine/registry/tool-changes";
import { TimeSlice } from "../../engine/time-slice";
import { toIconKey } from "../../platform/shared/choose-icon";
import { createGateState, type GatedList, type GateState, listApplied } from "./change-gate";
import type { InstanceStates } from "./instance-states";
import { boundEntries, type ReadTools, readServerTools } from "./read-server-tools";
import type { ServerSecrets } from "./server-secrets";
import { type MaskOf, maskSettings } from "./setting-masks";
import { applyToolFilter } from "./tool-filter";

/** The in-memory state of one server. */
export interface KnownServer {
  /** Null for a server of the configuration. */
  readonly id: string | null;
  /** Only `KnownServers` changes these, and notifies other instances. */
  readonly settings: ServerSettings;
  readonly secrets: ServerSecrets;
  readonly originPath: string | null;
  readonly enabled: boolean;
  /** Why it cannot connect at all: its secrets are unreadable. */
  readonly problem: string | null;
  readonly lastEdit?: LastEdit | undefined;
  listed: readonly ListedTool[];
  listedAt: number | null;
  tools: ServerTool[];
  changes: ToolChangeSet[];
  gate: GateState;
}

/** The facts that the catalog gets beside the definitions, by name in the catalog. */
export interface RegisteredFacts {
  notes: ReadonlyMap<string, readonly SchemaNote[]>;
  held: ReadonlyMap<string, HeldChange>;
  approvedBy: ReadonlyMap<string, Actor>;
}

/** Adds a server's tools to the catalog. */
export interface Register {
  /** The limit of one result. */
  maxStoredBytes: number;
  /** Applies the policy for changed tools. @param before the list before this one; null for the first one known */
  gate(server: KnownServer, before: readonly ListedTool[] | null): Promise<GatedList>;
  /** @returns the tools that the catalog rejected */
  setTools(definitions: ToolDefinition[], facts: RegisteredFacts): Promise<{ name: string; error: string }[]>;
}

const MAX_CHANGE_SETS = 50;

export function newServer(
  server: Pick<KnownServer, "id" | "settings" | "secrets" | "originPath" | "enabled" | "problem" | "lastEdit">,
): KnownServer {
  return { ...server, listed: [], listedAt: null, tools: [], changes: [], gate: createGateState() };
}

/** Updates a server with a list it sent. @returns whether the list has to be stored: it differs from the one before, if only in digits of numbers */
export async function updateTools(
  server: KnownServer,
  received: readonly ListedTool[],
  at: number,
  register: Register,
): Promise<boolean> {
  const { listed: before, listedAt } = server;
  const listed = await keepKnownOrder(before, await boundEntries(received));
  const changed = listedAt === null || !(await sameTools(before, listed));
  Object.assign(server, { listed, listedAt: at });
  // Registers first, since the comparison is slow for long lists.
  await registerTools(server, register, listedAt === null ? null : before);
  if (changed && listedAt !== null) {
    const changes = await changesBetween(before, listed);
    if (changes.length > 0) server.changes = [{ at, changes }, ...server.changes].slice(0, MAX_CHANGE_SETS);
  }
  return changed || (await differsInDigits(before, listed));
}

async function changesBetween(before: readonly ListedTool[], after: readonly ListedTool[]): Promise<ToolChange[]> {
  const changes: ToolChange[] = [];
  const slice = new TimeSlice();
  for (const change of compareTools(before, after)) {
    if (change !== null) changes.push(change);
    await slice.pause();
  }
  return changes;
}

/**
 * Reads the listed tools with the server's settings as they are now.
 * @param before the list before this one; null for the first one known
 */
export async function registerTools(
  server: KnownServer,
  register: Register,
  before: readonly ListedTool[] | null,
): Promise<void> {
  const { maxStoredBytes, setTools } = register;
  const { settings } = server;
  const gated = await register.gate(server, before);
  const listed = await readServerTools(settings.name, gated.listed, { ...settings, maxStoredBytes });
  const read = applyToolFilter(listed, settings.toolFilter);
  const definitions = server.enabled && server.problem === null ? read.definitions : [];
  const { held } = server.gate;
  const applied = listApplied(settings.name, server.gate, server.listed);
  const changes = new Map([...applied.map((change) => [change.tool, change] as const), ...held]);
  const rejected = await setTools(definitions, {
    notes: read.notes,
    held: byCatalogName(read, changes),
    approvedBy: byCatalogName(read, gated.approvedBy),
  });
  const refused = new Map(rejected.map(({ name, error }) => [name, error]));
  server.tools = read.tools.map((tool) => {
    const error = tool.catalogName === null ? undefined : refused.get(tool.catalogName);
    if (error !== undefined) return { ...tool, catalogName: null, status: "malformed", reason: error };
    const change = tool.catalogName === null || tool.name === null ? undefined : held.get(tool.name);
    return refusesCalls(change) && change !== undefined ? { ...tool, held: change.status } : tool;
  });
}

function byCatalogName<T>({ tools }: ReadTools, byName: ReadonlyMap<string, T>): Map<string, T> {
  const found = new Map<string, T>();
  if (byName.size === 0) return found;
  for (const { name, catalogName } of tools) {
    const value = name === null ? undefined : byName.get(name);
    if (catalogName !== null && value !== undefined) found.set(catalogName, value);
  }
  return found;
}

interface SummaryPorts {
  getMask: MaskOf;
  countSkillChanges?: ((server: string) => number) | undefined;
  others?: { states: Pick<InstanceStates, "merge"> } | undefined;
}

/** A user's own connections are shown as this instance has them. */
function mergeStates(server: KnownServer, own: ConnectionState, others: SummaryPorts["others"]): ConnectionState {
  const isShared = server.settings.credentials?.mode !== "personal";
  if (others === undefined || !isShared || server.problem !== null || !server.enabled) return own;
  return others.states.merge(server.settings.name, own);
}

/** @param viewer whose connection it shows, of a server with personal credentials */
export function toSummary(
  server: KnownServer,
  { connections, getMask, others, countSkillChanges }: { connections: Pick<McpConnections, "state"> } & SummaryPorts,
  viewer?: string,
): ServerSummary {
  const { settings, tools, changes } = server;
  const [last] = changes;
  const state = mergeStates(server, getState(server, connections, viewer), others);
  const icon = toIconKey(state.peer?.icons);
  const heldTools = [...server.gate.held.values()].filter(({ status: held }) => held === "open").length;
  const heldSkills = countSkillChanges?.(settings.name) ?? 0;
  const breaking = last?.changes.filter(({ kind }) => kind === "breaking" || kind === "removed").length ?? 0;
  return {
    name: settings.name,
    title: settings.title ?? null,
    origin: server.id === null ? "config" : "console",
    transport: settings.transport,
    target: describeTarget(maskSettings(settings, getMask)),
    enabled: server.enabled,
    state: withoutIcons(state),
    ...(icon !== null && { icon }),
    toolCount: tools.filter(({ status }) => status === "usable").length,
    problemCount: tools.filter(({ status }) => status === "malformed").length,
    heldCount: heldTools + heldSkills,
    heldSkillCount: heldSkills,
    appliedCount: [...server.gate.applied.keys()].filter((tool) => !server.gate.held.has(tool)).length,
    lastChange: last === undefined ? null : { at: last.at, breaking, other: last.changes.length - breaking },
    auth: getAuth(settings).type,
    credentials: settings.credentials?.mode ?? "shared",
    ...(server.lastEdit && { lastEdit: server.lastEdit }),
  };
}

export function toDetail(
  server: KnownServer,
  ports: { connections: Pick<McpConnections, "state" | "signedIn"> } & SummaryPorts,
  viewer?: string,
): ServerDetail {
  return {
    ...toSummary(server, ports, viewer),
    settings: maskSettings(server.settings, ports.getMask),
    editable: server.id !== null,
    originPath: server.originPath,
    listedCount: server.tools.length,
    changeCount: server.changes.length,
    listedAt: server.listedAt,
    signedIn: ports.connections.signedIn(server.settings.name, viewer),
  };
}

/** A list of servers would bring the images of all of them to the browser, which loads those that it shows. */
function withoutIcons(state: ConnectionState): ConnectionState {
  if (state.peer?.icons === undefined) return state;
  const { icons: _icons, ...peer } = state.peer;
  return { ...state, peer };
}

export function getState(
  server: KnownServer,
  connections: Pick<McpConnections, "state">,
  viewer?: string,
): ConnectionState {
  if (server.enabled && server.problem !== null)
    return { ...DISABLED_CONNECTION, status: "failed", reason: server.problem };
  return connections.state(server.settings.name, viewer) ?? DISABLED_CONNECTION;
}
