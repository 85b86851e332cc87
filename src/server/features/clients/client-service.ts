import { explainDenial, explainGroupLimit, type Principal, type TokenLimits } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import type {
  ClientDetail,
  ClientFit,
  ClientList,
  ClientListSummary,
  ClientSession,
  ClientSummary,
  ClientUse,
  ListComparison,
  ToolAnswer,
} from "../../../lib/contract/client";
import type { JsonValue } from "../../../lib/contract/json";
import { parseWithDigits } from "../../../lib/json/number-digits";
import type { ServedView, ViewQuery } from "../../engine/client-ports";
import { AppError } from "../../platform/shared/app-error";
import { type ClientRecorder, readServedTools } from "./client-recorder";
import type { ClientStore, StoredClientSession, StoredListing } from "./client-store";
import type { ClientVerdictService } from "./client-verdicts";
import { compareLists, compareServedEntries } from "./compare-lists";
import { explainRules } from "./explain-rules";
import { explainSkill, type SkillFacts } from "./explain-skill";
import { type ExplainedSession, explainTool } from "./explain-tool";
import type { CatalogFacts } from "./missing-tools";

const DAY_MS = 24 * 60 * 60_000;
const KEPT_MS = 30 * DAY_MS;
/** The limit of sessions: a program that changes its name with each request would fill the table. */
const MAX_SESSIONS = 20_000;
const LISTED_SESSIONS = 2_000;
const SHOWN_SESSIONS = 50;
const SHOWN_LISTS = 500;

/** Epoch milliseconds: from `since` to before `until`. */
export interface ListWindow {
  since?: number | undefined;
  until?: number | undefined;
}

interface ClientPorts {
  store: ClientStore;
  recorder: Pick<ClientRecorder, "flush">;
  facts: CatalogFacts;
  verdicts: Pick<ClientVerdictService, "checkGiven">;
  skills: SkillFacts;
  explainCredentials(server: string, userId: string): Promise<string | null>;
  /** The rights that the user and the token have now. */
  readRights(actor: Actor, token: TokenLimits | null): Promise<{ principal: Principal } | { refusal: string }>;
  /** The view that an address serves now; null where it serves nothing. */
  openView(query: ViewQuery, principal: Principal): ServedView | null;
  now(): number;
}

export async function sweepClients(store: Pick<ClientStore, "prune">, now: number): Promise<void> {
  await store.prune(now - KEPT_MS, MAX_SESSIONS, now - DAY_MS);
}

/** The lists that clients of `/mcp` received, and the reason why a tool is missing. Kept for 30 days. */
export function createClientService(ports: ClientPorts) {
  const { store, recorder, now } = ports;

  async function readSessions(stored: readonly StoredClientSession[]): Promise<ClientSession[]> {
    const rows = await store.listings(stored.map(({ id }) => id));
    const listings = groupBy(rows, ({ sessionId }: StoredListing) => sessionId);
    return stored.map(({ access, actor: _actor, token: _token, name: _name, clientId: _client, ...session }) => {
      const own = (listings.get(session.id) ?? []).map(({ sessionId: _session, ...listing }) => listing);
      const transport = access.query.transport ?? "http";
      return { ...session, transport, listedAt: own[0]?.lastAt ?? null, listings: own };
    });
  }

  async function explainSession(
    session: StoredClientSession,
    given: ExplainedSession["given"],
  ): Promise<ExplainedSession & { refusal: string | null }> {
    const { query, token } = session.access;
    const rights = await ports.readRights(session.actor, token);
    const refusal = "refusal" in rights ? rights.refusal : null;
    const principal = "refusal" in rights ? { ...session.actor, role: "viewer" as const, token } : rights.principal;
    const view = ports.openView(query, principal);
    return { session, given, view, now: view === null ? [] : await readServedTools(view), principal, refusal };
  }

  async function open(idOrName: string) {
    await recorder.flush();
    const found = await find(store, idOrName);
    const sessions = await readSessions(found);
    // The session that fetched a list last; where none did, the newest.
    const last = sessions.reduce<ClientSession | undefined>(
      (best, each) => ((each.listedAt ?? -1) > (best?.listedAt ?? -1) ? each : best),
      undefined,
    );
    const current = found.find(({ id }) => id === last?.id) ?? (found[0] as StoredClientSession);
    const [listing] = last?.listings ?? [];
    const content = listing === undefined ? null : await store.readList(listing.hash);
    const given = content === null || listing === undefined ? null : { tools: content.tools, at: listing.lastAt };
    const explained = await explainSession(current, given);
    return { found, sessions, explained, list: content && listing ? { hash: listing.hash, ...content } : null };
  }

  async function readClientList(client: string, hash: string): Promise<ClientList> {
    await recorder.flush();
    const [newest] = await find(store, client);
    const sessions = newest === undefined ? [] : await store.ofClient(newest.clientId, LISTED_SESSIONS);
    const listings = await store.listings(sessions.map(({ id }) => id));
    const given = listings.filter((listing) => listing.hash === hash || listing.hash.startsWith(hash));
    const whole = given[0]?.hash;
    const content = whole === undefined ? null : await store.readList(whole);
    if (whole === undefined || content === null) {
      throw new AppError("NOT_FOUND", `List '${hash.slice(0, 100)}' of this client not found, or not kept any more`);
    }
    if (given.some((listing) => listing.hash !== whole)) {
      throw new AppError("INVALID", `Several lists begin with '${hash.slice(0, 100)}': give more of the hash`);
    }
    const ids = new Set(given.map(({ sessionId }) => sessionId));
    const texts = await store.readTools(content.tools.map((tool) => tool.hash));
    return {
      hash: whole,
      firstAt: Math.min(...given.map(({ firstAt }) => firstAt)),
      lastAt: Math.max(...given.map(({ lastAt }) => lastAt)),
      count: given.reduce((sum, { count }) => sum + count, 0),
      addresses: [...new Set(sessions.filter(({ id }) => ids.has(id)).map(({ address }) => address))],
      tools: content.tools.map((tool) => ({ ...tool, entry: parseEntry(texts.get(tool.hash) ?? null) })),
      leftOut: content.leftOut,
      leftOutCount: content.leftOutCount,
    };
  }

  return {
    /** The clients that were seen last, first. */
    async list(): Promise<ClientSummary[]> {
      await recorder.flush();
      const stored = await store.list(LISTED_SESSIONS);
      const sessions = new Map((await readSessions(stored)).map((session) => [session.id, session]));
      const clients = groupBy(stored, ({ clientId }) => clientId);
      return [...clients.values()].map((each) => summarize(each, sessions));
    },

    /** @param client its id, or its name where no other client has it */
    async get(client: string): Promise<ClientDetail> {
      const { found, sessions, explained, list } = await open(client);
      const { refusal, principal, view, now: tools } = explained;
      const { access, actor } = explained.session;
      const denial =
        explainGroupLimit(principal.token, access.query.toolset, actor.name) ?? explainDenial(principal, "run");
      return {
        ...summarize(found, new Map(sessions.map((session) => [session.id, session]))),
        items: sessions,
        lastList: list,
        lastSessionId: explained.session.id,
        changes: list === null || view === null || refusal !== null ? null : compareLists(list.tools, tools),
        barrier: refusal ?? (denial === null ? null : `Its calls are refused: ${denial}`),
      };
    },

    /** The lists that a client was given between two times, newest first. */
    async lists(client: string, { since, until }: ListWindow): Promise<ClientListSummary[]> {
      await recorder.flush();
      const [session] = await find(store, client);
      if (session === undefined) return [];
      const end = until ?? now() + 1;
      const listings = await store.listsBetween(session.clientId, since ?? 0, end, SHOWN_LISTS);
      const sessions = new Map(
        (await store.ofClient(session.clientId, LISTED_SESSIONS)).map((each) => [each.id, each]),
      );
      return listings.map((listing) => ({ ...listing, address: sessions.get(listing.sessionId)?.address ?? "" }));
    },

    /** @param hash the hash of a list that the client received */
    readList: (client: string, hash: string): Promise<ClientList> => readClientList(client, hash),

    /** The difference between two lists that a client received. */
    async compareLists(client: string, from: string, to: string): Promise<ListComparison> {
      const before = await readClientList(client, from);
      const after = await readClientList(client, to);
      return { from, to, ...(await compareServedEntries(before, after)) };
    },

    /** Why a client does not see a tool, or a skill. */
    async explain(client: string, tool: string): Promise<ToolAnswer> {
      const { explained } = await open(client);
      if (explained.refusal !== null) {
        return {
          tool,
          verdict: "role",
          nearest: [],
          link: "/settings/people",
          answer: `Every request of this client is refused: ${explained.refusal}.`,
          wayOut: "Give the client a token of an active account.",
        };
      }
      const callBarrier = explainDenial(explained.principal, "run");
      const answer = await explainTool(tool, explained, { ...ports, callBarrier, time: now() });
      const skill = answer.verdict === "unknown" ? await explainSkill(tool, explained, ports.skills) : null;
      if (skill !== null) return { tool: tool.trim(), nearest: [], ...skill };
      return answer.verdict === "listed" ? await explainRules(answer, explained, ports.verdicts) : answer;
    },

    /** The program's treatment of its last list, by its own rules. */
    async fit(client: string): Promise<ClientFit> {
      const { found, sessions, explained, list } = await open(client);
      const listedAt = sessions.find(({ id }) => id === explained.session.id)?.listedAt ?? null;
      const [newest] = found;
      if (list === null || newest === undefined) return { listedAt, verdict: null };
      const { tools } = await readClientList(newest.clientId, list.hash);
      const { query } = explained.session.access;
      const given = { name: newest.name, query, principal: explained.principal };
      return { listedAt, verdict: await ports.verdicts.checkGiven(given, tools) };
    },
  };
}

function parseEntry(text: string | null): JsonValue | null {
  return text === null ? null : (parseWithDigits(text) as JsonValue);
}

function groupBy<Item>(items: readonly Item[], toKey: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(toKey(item));
    if (group === undefined) groups.set(toKey(item), [item]);
    else group.push(item);
  }
  return groups;
}

async function find(store: ClientStore, idOrName: string): Promise<StoredClientSession[]> {
  const found = await store.ofClient(idOrName, SHOWN_SESSIONS);
  if (found.length > 0) return found;
  const wanted = idOrName.toLowerCase();
  const named = (await store.list(LISTED_SESSIONS)).filter(({ name }) => name.toLowerCase() === wanted);
  const ids = [...new Set(named.map(({ clientId }) => clientId))];
  if (ids.length > 1) {
    throw new AppError(
      "INVALID",
      `${ids.length} clients have the name '${idOrName}': use the id of one, ${ids.join(", ")}`,
    );
  }
  if (ids[0] === undefined) throw new AppError("NOT_FOUND", `Client '${idOrName}' not found, or not seen for 30 days`);
  return await store.ofClient(ids[0], SHOWN_SESSIONS);
}

function summarize(
  stored: readonly StoredClientSession[],
  sessions: ReadonlyMap<string, ClientSession>,
): ClientSummary {
  const [newest] = stored as [StoredClientSession];
  const listed = stored
    .flatMap(({ id }) => sessions.get(id)?.listings[0] ?? [])
    .sort((left, right) => right.lastAt - left.lastAt);
  return {
    id: newest.clientId,
    name: newest.name,
    version: newest.version,
    user: newest.actor,
    token: newest.token,
    addresses: [...new Set(stored.map(({ address }) => address))],
    ...readCalls(stored),
    uses: readUses(stored),
    sessions: stored.length,
    seenAt: newest.seenAt,
    listedAt: listed[0]?.lastAt ?? null,
    tools: listed[0]?.tools ?? null,
  };
}

function readCalls(stored: readonly StoredClientSession[]): Pick<ClientSummary, "calls" | "lastCall"> {
  const calls = stored.reduce((sum, session) => sum + session.calls, 0);
  const lastCall = stored.reduce<ClientSummary["lastCall"]>(
    (last, session) => ((session.lastCall?.at ?? 0) > (last?.at ?? 0) ? session.lastCall : last),
    null,
  );
  return { calls, lastCall };
}

/** @param stored the sessions of a client, seen last first */
function readUses(stored: readonly StoredClientSession[]): ClientUse[] {
  const getTransport = ({ access }: StoredClientSession) => access.query.transport ?? "http";
  const groups = groupBy(stored, (session) => `${getTransport(session)} ${session.address}`);
  return Array.from(groups.values(), (sessions) => {
    const [newest] = sessions as [StoredClientSession];
    return {
      transport: getTransport(newest),
      address: newest.address,
      seenAt: newest.seenAt,
      ...readCalls(sessions),
    };
  });
}
