import { isPlainObject, readMember } from "../../../lib/contract/json";
import { getMessage } from "../../../lib/get-message";
import type { Answer, Exchange, OutgoingMessage, PeerMessage } from "./exchange";

/** The newest revision with sessions, and the first without. */
const SESSION_REVISION = "2025-11-25";
export const STATELESS_REVISION = "2026-07-28";

/** Where stateless servers introduce themselves. */
const SERVER_INFO = "io.modelcontextprotocol/serverInfo";
const MAX_PAGES = 20;
const MAX_NAMES = 2_000;
const MAX_NAME_CHARS = 300;
const MAX_QUOTED_CHARS = 240;
const CLIENT = { name: "toolroom-conformance", version: "1.0.0" };
const ACCEPT = { accept: "application/json, text/event-stream", "content-type": "application/json" };

/** How requests to the server are made. */
export interface Session {
  /** `stateless`: each request names its revision, and there is no session. */
  kind: "session" | "stateless";
  revision: string;
  id: string | null;
}

/** What the server says about itself, and what it lists. */
export interface Peer {
  session: Session;
  /** All revisions that it proved to speak. */
  revisions: string[];
  /** Name and version. */
  introduction: string | null;
  capabilities: PeerMessage;
  tools: string[];
  /** Tools with a parameter that clients repeat in a header. */
  headerTools: string[];
  prompts: string[];
  resources: string[];
  templates: string[];
}

/** @param id default: 1 */
export function buildRequest(session: Session, method: string, params: object = {}, id: string | number = 1) {
  const isStateless = session.kind === "stateless";
  const sent = isStateless ? { ...params, _meta: buildMeta() } : params;
  const message = { jsonrpc: "2.0", id, method, params: sent };
  const headers = isStateless
    ? { ...ACCEPT, "mcp-protocol-version": STATELESS_REVISION, "mcp-method": method, ...nameHeader(params) }
    : { ...ACCEPT, ...sessionHeaders(session) };
  return { headers, body: JSON.stringify(message), awaited: id } satisfies OutgoingMessage;
}

const buildMeta = () => ({
  "io.modelcontextprotocol/protocolVersion": STATELESS_REVISION,
  "io.modelcontextprotocol/clientInfo": CLIENT,
  "io.modelcontextprotocol/clientCapabilities": {},
});

function nameHeader(params: object): Record<string, string> {
  const { name } = params as { name?: unknown };
  return typeof name === "string" ? { "mcp-name": name } : {};
}

export function sessionHeaders({ id, revision }: Session): Record<string, string> {
  return { "mcp-protocol-version": revision, ...(id !== null && { "mcp-session-id": id }) };
}

export function buildInitialize(revision = SESSION_REVISION, id: string | number = 1) {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: CLIENT };
  const body = JSON.stringify({ jsonrpc: "2.0", id, method: "initialize", params });
  return { headers: { ...ACCEPT }, body, awaited: id } satisfies OutgoingMessage;
}

export function buildNotification(session: Session, method: string) {
  const headers = { ...ACCEPT, ...sessionHeaders(session) };
  return { headers, body: JSON.stringify({ jsonrpc: "2.0", method }) } satisfies OutgoingMessage;
}

/** The first request of a conversation, in the form that the server understands. */
export const buildOpening = (kind: Session["kind"]): OutgoingMessage =>
  kind === "session"
    ? buildInitialize()
    : buildRequest({ kind: "stateless", revision: STATELESS_REVISION, id: null }, "server/discover");

export const getResult = ({ message }: Pick<Answer, "message">): PeerMessage | null =>
  isPlainObject(message?.result) ? message.result : null;

export const getErrorCode = ({ message }: Pick<Answer, "message">): unknown =>
  isPlainObject(message?.error) ? message.error.code : undefined;

/** An answer in a few words, for messages. */
export function describeAnswer(answer: Answer): string {
  const { error } = answer.message ?? {};
  const status = answer.status === 200 ? "" : ` (HTTP ${answer.status})`;
  if (isPlainObject(error)) return `the error ${String(error.code)}${status}: ${quoteMessage(error.message)}`;
  return getResult(answer) === null ? `HTTP ${answer.status}` : `a result${status}`;
}

/** Some servers send a whole document as the message of an error. */
const quoteMessage = (message: unknown): string => String(message).replace(/\s+/g, " ").slice(0, MAX_QUOTED_CHARS);

export type Meeting = { peer: Peer } | { peer: null; reason: string; refusal: Answer | null };

/** Introduces itself in both forms of the protocol, and reads the lists. Calls no tool. */
export async function meetPeer(exchange: Exchange): Promise<Meeting> {
  const attempt = async (kind: Session["kind"]): Promise<Answer | { fault: string }> => {
    try {
      return await exchange.send(buildOpening(kind));
    } catch (error) {
      return { fault: getMessage(error) };
    }
  };
  const initialized = await attempt("session");
  if ("fault" in initialized) return { peer: null, reason: `it did not answer: ${initialized.fault}`, refusal: null };
  const discovered = await attempt("stateless");
  const result = getResult(initialized);
  const found = "fault" in discovered ? null : getResult(discovered);
  const isStateless = Array.isArray(found?.supportedVersions) && found.supportedVersions.includes(STATELESS_REVISION);
  if (typeof result?.protocolVersion !== "string" && !isStateless) {
    const reason = `it answered 'initialize' with ${describeAnswer(initialized)}`;
    return { peer: null, reason, refusal: initialized };
  }
  const session = toSession(initialized, result);
  if (session.kind === "session") await exchange.send(buildNotification(session, "notifications/initialized"));
  const facts = (session.kind === "session" ? result : found) ?? {};
  const peer: Peer = {
    session,
    revisions: [
      ...(session.kind === "session" ? [session.revision] : []),
      ...(isStateless ? [STATELESS_REVISION] : []),
    ],
    introduction: describeServer(facts.serverInfo ?? readMember(facts._meta, SERVER_INFO)),
    capabilities: isPlainObject(facts.capabilities) ? facts.capabilities : {},
    ...(await readLists(exchange, session)),
  };
  return { peer };
}

function toSession(answer: Answer, result: PeerMessage | null): Session {
  if (typeof result?.protocolVersion !== "string") return { kind: "stateless", revision: STATELESS_REVISION, id: null };
  return {
    kind: "session",
    revision: result.protocolVersion.slice(0, MAX_NAME_CHARS),
    id: answer.headers.get("mcp-session-id"),
  };
}

function describeServer(info: unknown): string | null {
  if (!isPlainObject(info) || typeof info.name !== "string") return null;
  return `${info.name} ${typeof info.version === "string" ? info.version : ""}`.trim().slice(0, MAX_NAME_CHARS);
}

async function readLists(exchange: Exchange, session: Session) {
  const list = (method: string, key: string) => readList(exchange, session, method, key);
  const tools = await list("tools/list", "tools");
  return {
    tools: pick(tools, "name"),
    headerTools: pick(tools.filter(hasHeaderParameter), "name"),
    prompts: pick(await list("prompts/list", "prompts"), "name"),
    resources: pick(await list("resources/list", "resources"), "uri"),
    templates: pick(await list("resources/templates/list", "resourceTemplates"), "uriTemplate"),
  };
}

function hasHeaderParameter({ inputSchema }: PeerMessage): boolean {
  const properties = isPlainObject(inputSchema) ? inputSchema.properties : undefined;
  if (!isPlainObject(properties)) return false;
  return Object.values(properties).some((each) => isPlainObject(each) && "x-mcp-header" in each);
}

const pick = (entries: readonly PeerMessage[], key: string): string[] =>
  entries.flatMap(({ [key]: value }) => (typeof value === "string" ? [value.slice(0, MAX_NAME_CHARS)] : []));

/** Empty where the server has no such list. */
async function readList(exchange: Exchange, session: Session, method: string, key: string): Promise<PeerMessage[]> {
  const found: PeerMessage[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && found.length < MAX_NAMES; page += 1) {
    const answer = await exchange.send(buildRequest(session, method, cursor === undefined ? {} : { cursor }));
    const result = getResult(answer);
    const entries = result?.[key];
    if (Array.isArray(entries)) found.push(...entries.filter(isPlainObject));
    if (typeof result?.nextCursor !== "string") break;
    cursor = result.nextCursor;
  }
  return found.slice(0, MAX_NAMES);
}
