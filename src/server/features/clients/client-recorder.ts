import { createHash } from "node:crypto";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import type { ServedTool } from "../../../lib/contract/client";
import { stringifyWithDigits } from "../../../lib/json/number-digits";
import { readClientName } from "../../../lib/read-client-name";
import type { ClientObserver, ClientPeer, ServedTool as Entry, ServedView } from "../../engine/client-ports";
import type { Logger } from "../../engine/ports";
import type { ListedTool } from "../../engine/registry/list-tool";
import { TimeSlice } from "../../engine/time-slice";
import type { ClientStore, ListContent, ServedEntry, SessionUpdate, StoredClientSession } from "./client-store";

/** Until the flush, the activity of sessions is counted in memory. */
const FLUSH_MS = 2_000;
/** Sessions that are counted between two writes; those of further ones are left out. */
const MAX_PENDING = 10_000;
const ID_CHARS = 16;
/** A longer entry is not kept. */
const MAX_ENTRY_CHARS = 262_144;
const ENTRIES_AT_ONCE = 50;

interface PendingSession {
  peer: ClientPeer;
  startedAt: number;
  seenAt: number;
  endedAt: number | null;
  noticedAt: number | null;
  notices: number;
  calls: number;
  lastCall: StoredClientSession["lastCall"];
  lists: Map<readonly Entry[], { firstAt: number; lastAt: number; count: number }>;
}

interface RecorderPorts {
  store: Pick<ClientStore, "save" | "findLists" | "saveList" | "findTools" | "saveTools">;
  /** The tools that the list of a view omits now. */
  findLeftOut(view: ServedView): Pick<ListContent, "leftOut" | "leftOutCount">;
  /** Called after recorded activity was written. */
  onWritten(): void;
  logger: Logger;
  now(): number;
}

export type ClientRecorder = ReturnType<typeof createClientRecorder>;

/** Keeps what clients are given: counted in memory within requests, hashed and written between them. */
export function createClientRecorder({ store, findLeftOut, onWritten, logger, now }: RecorderPorts) {
  let pending = new Map<string, PendingSession>();
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> = Promise.resolve();
  /** A list is hashed once, as long as the catalog keeps it. */
  const hashes = new WeakMap<readonly Entry[], string>();

  function touch(peer: ClientPeer): PendingSession | undefined {
    if (peer.view.isRecorded) return undefined;
    const key = peer.sessionId ?? toGroupKey(peer);
    const at = now();
    const known = pending.get(key);
    if (known !== undefined) {
      known.seenAt = at;
      return known;
    }
    if (pending.size >= MAX_PENDING) return undefined;
    const created: PendingSession = {
      peer,
      startedAt: at,
      seenAt: at,
      endedAt: null,
      noticedAt: null,
      notices: 0,
      calls: 0,
      lastCall: null,
      lists: new Map(),
    };
    pending.set(key, created);
    timer ??= setTimeout(() => void flush(), FLUSH_MS).unref();
    return created;
  }

  async function hashList(view: ServedView, entries: readonly Entry[]): Promise<[hash: string, ListContent | null]> {
    const known = hashes.get(entries);
    if (known !== undefined) return [known, null];
    const content = { tools: await readServedTools(view, entries), ...findLeftOut(view) };
    const hash = createHash("sha256").update(JSON.stringify(content)).digest("base64url");
    return [hash, content];
  }

  /** Stores the entries that no earlier list had. */
  async function saveEntries(content: ListContent, lists: readonly [readonly Entry[], string][]): Promise<void> {
    const wanted = new Set(content.tools.map(({ hash }) => hash));
    for (const hash of await store.findTools([...wanted])) wanted.delete(hash);
    const slice = new TimeSlice();
    let batch: ServedEntry[] = [];
    for (const { listed } of lists.flatMap(([entries]) => entries)) {
      const hash = toolHashes.get(listed);
      if (hash === undefined || !wanted.delete(hash)) continue;
      const entry = stringifyWithDigits(listed);
      batch.push({ hash, entry: entry.length > MAX_ENTRY_CHARS ? null : entry });
      await slice.pause();
      if (batch.length < ENTRIES_AT_ONCE) continue;
      await store.saveTools(batch, now());
      batch = [];
    }
    if (batch.length > 0) await store.saveTools(batch, now());
  }

  async function write(sessions: readonly PendingSession[]): Promise<void> {
    const contents = new Map<string, ListContent>();
    const updates: SessionUpdate[] = [];
    const written: [readonly Entry[], string][] = [];
    for (const session of sessions) {
      const listings = [];
      for (const [entries, times] of session.lists) {
        const [hash, content] = await hashList(session.peer.view, entries);
        if (content !== null) {
          contents.set(hash, content);
          written.push([entries, hash]);
        }
        listings.push({ hash, ...times });
      }
      updates.push({ session: toStored(session), listings });
    }
    if (contents.size > 0) {
      const stored = await store.findLists([...contents.keys()], now());
      for (const [hash, content] of contents) {
        if (stored.has(hash)) continue;
        await saveEntries(content, written);
        await store.saveList(hash, content, now());
      }
    }
    await store.save(updates);
    for (const [entries, hash] of written) hashes.set(entries, hash);
  }

  /** Writes the counted activity. Never rejects: clients are served without it too. */
  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const sessions = [...pending.values()];
    pending = new Map();
    if (sessions.length > 0) {
      flushing = flushing
        .then(() => write(sessions))
        .then(onWritten)
        .catch((err: unknown) => logger.warn({ err }, "The lists that clients were given could not be stored"));
    }
    return flushing;
  }

  const observer: ClientObserver = {
    seen: (peer) => void touch(peer),
    listed(peer) {
      const session = touch(peer);
      if (session === undefined) return;
      const entries = peer.view.listed();
      const known = session.lists.get(entries);
      if (known === undefined) {
        session.lists.set(entries, { firstAt: session.seenAt, lastAt: session.seenAt, count: 1 });
        return;
      }
      known.count += 1;
      known.lastAt = session.seenAt;
    },
    called(peer, { id, tool }) {
      const session = touch(peer);
      if (session === undefined) return;
      session.calls += 1;
      session.lastCall = { id, tool, at: session.seenAt };
    },
    noticed(peer) {
      const session = touch(peer);
      if (session === undefined) return;
      session.notices += 1;
      session.noticedAt = session.seenAt;
    },
    ended(peer) {
      const session = touch(peer);
      if (session !== undefined) session.endedAt = session.seenAt;
    },
  };
  return { observer, flush };
}

/** Stateless requests that belong together. The key of a view names the caller and the token. */
function toGroupKey({ clientInfo, view }: ClientPeer): string {
  const { name, version } = readClientName(clientInfo);
  return `${name}\n${version}\n${view.key}`;
}

function toStored({ peer, lists: _lists, ...times }: PendingSession): StoredClientSession {
  const { sessionId, clientInfo, protocol, view } = peer;
  const { name, version } = readClientName(clientInfo);
  const { query, principal } = view;
  const { token } = principal;
  return {
    id: digest(sessionId === null ? `stateless\n${toGroupKey(peer)}` : `session\n${sessionId}`),
    clientId: digest(JSON.stringify([name, principal.id, token?.id ?? null])).slice(0, ID_CHARS),
    name: name || "Unnamed client",
    version,
    protocol,
    address: formatAddress(query),
    era: sessionId === null ? "stateless" : "session",
    access: { query, token },
    actor: { id: principal.id, name: principal.id === LOCAL_PRINCIPAL.id ? LOCAL_PRINCIPAL.name : principal.name },
    token: token === null ? null : { id: token.id, name: token.name ?? token.id },
    ...times,
  };
}

/** A digest instead of the text: a copy of the database then holds no usable session id. */
function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

function formatAddress({ server, servers, toolset, tools, plainNames, form }: ServedView["query"]): string {
  const part = toolset === undefined ? server : `sets/${toolset}`;
  const parameters = [
    ...(servers === undefined ? [] : [`servers=${servers.join(",")}`]),
    ...(tools === null ? [] : [`tools=${tools.join(",")}`]),
    ...(plainNames ? ["names=plain"] : []),
    ...(form === undefined ? [] : [`for=${form}`]),
  ].join("&");
  const path = part === null ? "/mcp" : `/mcp/${part}`;
  return parameters === "" ? path : `${path}?${parameters}`.slice(0, 2_000);
}

const toolHashes = new WeakMap<ListedTool, string>();

/** The tools of a list, with a hash of what a client reads of each. */
export async function readServedTools(view: ServedView, entries = view.listed()): Promise<ServedTool[]> {
  const slice = new TimeSlice();
  const tools: ServedTool[] = [];
  for (const { definition, listed } of entries) {
    await slice.pause();
    let hash = toolHashes.get(listed);
    if (hash === undefined) {
      hash = createHash("sha256").update(stringifyWithDigits(listed)).digest("base64url").slice(0, ID_CHARS);
      toolHashes.set(listed, hash);
    }
    // A tool of a toolset is defined under its shown name.
    const tool = view.query.toolset === undefined ? definition.name : view.catalogName(listed.name);
    tools.push({ name: listed.name, tool, hash });
  }
  return tools;
}
