import { createHash } from "node:crypto";
import { LOCAL_PRINCIPAL } from "../../src/lib/contract/access";
import type { ServedTool } from "../../src/lib/contract/client";
import type { ToolDefinition } from "../../src/lib/contract/tool-definition";
import { listTool } from "../../src/server/engine/registry/list-tool";
import type { ClientStore, SessionUpdate, StoredClientSession } from "../../src/server/features/clients/client-store";
import { createClientStore } from "../../src/server/features/clients/db/client-store";
import type { PastPorts } from "./seed-context";
import type { PlannedCall } from "./week-plan";

const MINUTE = 60_000;
const DAY = 86_400_000;
const digest = (text: string): string => createHash("sha256").update(text).digest("base64url");

interface SampleClient {
  name: string;
  version: string;
  protocol: string;
  toolset?: string;
  /** Minutes before now. */
  listed: number | null;
  noticed?: number;
}

const CLIENTS: readonly SampleClient[] = [
  { name: "Claude Code", version: "2.1.4", protocol: "2025-11-25", listed: 95, noticed: 40 },
  { name: "Cursor", version: "1.9.2", protocol: "2025-11-25", toolset: "support", listed: 300 },
  { name: "VS Code", version: "1.118.0", protocol: "2026-07-28", listed: 12 },
  { name: "mcpc", version: "0.4.1", protocol: "2026-07-28", listed: null },
];

/**
 * The clients of the sample calls, as the gateway records them.
 * @param definitions of the tools that they were given
 * @returns how many were not there yet
 */
export async function seedClients(
  { db }: PastPorts,
  definitions: readonly ToolDefinition[],
  planned: readonly PlannedCall[],
  now: number,
): Promise<number> {
  const store = createClientStore(db);
  let added = 0;
  const versions = toVersions(definitions);
  for (const client of CLIENTS) {
    const { listed, noticed = null } = client;
    const at = now - (listed ?? 700) * MINUTE;
    const listings: Listed[] = [];
    if (listed !== null)
      for (const [daysAgo, tools] of versions) listings.push(await saveList(store, tools, at - daysAgo * DAY, now));
    const startedAt = listings[0]?.firstAt ?? at;
    const session = toSession(client, { startedAt, at, noticedAt: noticed === null ? null : now - noticed * MINUTE });
    if ((await store.ofClient(session.clientId, 1)).length > 0) continue;
    await store.save([{ session: { ...session, ...readCalls(client, planned) }, listings }]);
    added += 1;
  }
  return added;
}

/** The calls of the client that the local owner makes, since the session is the owner's. */
function readCalls({ name, version }: SampleClient, planned: readonly PlannedCall[]) {
  const own = planned.filter(
    ({ origin: { client, actor } }) => client === `${name}/${version}` && actor.id === LOCAL_PRINCIPAL.id,
  );
  const last = own.at(-1);
  return { calls: own.length, lastCall: last === undefined ? null : { id: last.id, tool: last.toolName, at: last.at } };
}

type Listed = SessionUpdate["listings"][number];

/** What the catalog offered some days ago, the oldest first: since then a tool was added, and one is described otherwise. */
function toVersions(tools: readonly ToolDefinition[]): [daysAgo: number, tools: readonly ToolDefinition[]][] {
  const [first, ...others] = tools;
  if (first === undefined) return [[0, tools]];
  const before = { ...first, description: `${first.description} Beta.` };
  return [
    [4, [before, ...others.slice(0, -1)]],
    [1, [before, ...others]],
    [0, tools],
  ];
}

async function saveList(
  store: ClientStore,
  definitions: readonly ToolDefinition[],
  at: number,
  now: number,
): Promise<Listed> {
  const served = definitions.map(toServed);
  const content = { tools: served.map(({ tool }) => tool), leftOut: [], leftOutCount: 0 };
  const hash = digest(JSON.stringify(content));
  if (!(await store.findLists([hash], now)).has(hash)) {
    await store.saveTools(
      served.map(({ entry, tool }) => ({ hash: tool.hash, entry })),
      now,
    );
    await store.saveList(hash, content, now);
  }
  return { hash, firstAt: at, lastAt: at, count: 1 };
}

function toServed(definition: ToolDefinition): { tool: ServedTool; entry: string } {
  const { name } = definition;
  const entry = JSON.stringify(listTool(definition, name));
  return { tool: { name, tool: name, hash: digest(entry).slice(0, 16) }, entry };
}

function toSession(
  client: SampleClient,
  { startedAt, at, noticedAt }: { startedAt: number; at: number; noticedAt: number | null },
): StoredClientSession {
  const { name, version, protocol, toolset } = client;
  return {
    id: digest(`seed ${name}`),
    clientId: digest(JSON.stringify([name, "local", null])).slice(0, 16),
    name,
    version,
    protocol,
    era: protocol.startsWith("2026") ? "stateless" : "session",
    calls: 0,
    lastCall: null,
    address: toolset === undefined ? "/mcp" : `/mcp/sets/${toolset}`,
    access: { query: { server: null, plainNames: false, tools: null, ...(toolset && { toolset }) }, token: null },
    actor: { id: LOCAL_PRINCIPAL.id, name: LOCAL_PRINCIPAL.name },
    token: null,
    startedAt,
    seenAt: Math.max(at, noticedAt ?? 0),
    endedAt: null,
    noticedAt,
    notices: noticedAt === null ? 0 : 1,
  };
}
