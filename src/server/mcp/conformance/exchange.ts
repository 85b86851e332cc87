import { isPlainObject } from "../../../lib/contract/json";
import type { AddressPolicy } from "../../platform/outgoing/address-policy";
import { createOutgoingAgents } from "../../platform/outgoing/outgoing-agents";
import { openRequest, readHeaders } from "../../platform/outgoing/outgoing-request";
import type { OutgoingResponse } from "../../platform/outgoing/outgoing-response";

/** A JSON-RPC message as a peer sent it: nothing in it is trusted. */
export type PeerMessage = Readonly<Record<string, unknown>>;

export interface Answer {
  status: number;
  headers: Headers;
  /** The beginning of the body; of a stream, what came before the awaited message. */
  text: string;
  /** The response to the request, or the one message of the body; null where there is none. */
  message: PeerMessage | null;
}

export interface OutgoingMessage {
  method?: "POST" | "GET" | "DELETE";
  /** Default: the server's address. */
  url?: URL;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** False leaves out what proves who asks. Default: true. */
  signed?: boolean;
  /** The id of the request whose response is read from a stream. */
  awaited?: string | number;
}

export interface ExchangeOptions {
  url: URL;
  addresses: AddressPolicy | undefined;
  /** Headers that prove who asks; read for each request, since a token may be renewed. */
  credentials: () => Promise<Readonly<Record<string, string>>>;
  signal: AbortSignal;
  timeoutMs?: number;
}

const MAX_BODY_BYTES = 4 * 1024 * 1024;
const REQUEST_LIMIT_MS = 15_000;
const MAX_REDIRECTS = 3;
const MAX_SESSIONS = 50;

export type Exchange = ReturnType<typeof createExchange>;

/** Sends single requests to a server and to where its metadata leads, as they are: a check decides about every header. */
export function createExchange({ url, addresses, credentials, signal, timeoutMs = REQUEST_LIMIT_MS }: ExchangeOptions) {
  const agents = createOutgoingAgents(addresses);
  /** Sessions that the checks opened, which they end. */
  const sessions = new Set<string>();

  async function open(message: OutgoingMessage, limit: AbortSignal): Promise<OutgoingResponse> {
    const proof = message.signed === false ? {} : await credentials();
    const headers = { ...lowerNames(proof), ...lowerNames(message.headers ?? {}) };
    const request = { method: message.method ?? "POST", headers, body: message.body ?? null, signal: limit };
    return await openRequest(message.url ?? url, request, agents);
  }

  async function send(message: OutgoingMessage): Promise<Answer> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const response = await open(message, limit);
    try {
      const headers = readHeaders(response);
      const session = headers.get("mcp-session-id");
      if (session !== null && sessions.size < MAX_SESSIONS) sessions.add(session);
      return { status: response.statusCode ?? 0, headers, ...(await readAnswer(response, headers, message)) };
    } catch (error) {
      throw limit.aborted ? limit.reason : error;
    } finally {
      response.destroy();
    }
  }

  return {
    url,
    send,

    /** A document, through a few redirects. Null for any other answer than one with a JSON object. */
    async getJson(address: URL): Promise<PeerMessage | null> {
      let next = address;
      for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
        const { status, headers, message } = await send({
          method: "GET",
          url: next,
          headers: { accept: "application/json" },
          signed: false,
        });
        const location = headers.get("location");
        if (status < 300 || status >= 400 || location === null) return status === 200 ? message : null;
        if (!URL.canParse(location, next)) return null;
        const target = new URL(location, next);
        if (next.protocol === "https:" && target.protocol !== "https:") return null;
        next = target;
      }
      return null;
    },

    /** Ends the sessions, and closes idle connections. Never rejects. */
    async close(): Promise<void> {
      const headers = (session: string) => ({ "mcp-session-id": session, accept: "application/json" });
      const endings = signal.aborted
        ? []
        : [...sessions].map((session) => send({ method: "DELETE", headers: headers(session) }).catch(() => null));
      await Promise.all(endings);
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function lowerNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

async function readAnswer(
  response: OutgoingResponse,
  headers: Headers,
  { method, awaited }: OutgoingMessage,
): Promise<Pick<Answer, "text" | "message">> {
  const isStream = headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") === true;
  // A stream for notifications has no end.
  if (isStream && method === "GET") return { text: "", message: null };
  const events = isStream ? new EventReader(awaited) : null;
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response as AsyncIterable<Buffer>) {
    const part = decoder.decode(chunk, { stream: true });
    text += part;
    const message = events?.read(part) ?? null;
    if (message !== null) return { text, message };
    if (text.length > MAX_BODY_BYTES) throw new Error(`the answer has more than ${MAX_BODY_BYTES / 1024 / 1024} MiB`);
  }
  return { text, message: events === null ? parseObject(text) : events.read("\n\n") };
}

const EVENT_END = /\r?\n\r?\n/;

/** Finds the response to one request among the events of a stream. */
class EventReader {
  #rest = "";

  constructor(private readonly awaited: string | number | undefined) {}

  read(part: string): PeerMessage | null {
    const events = (this.#rest + part).split(EVENT_END);
    this.#rest = events.pop() ?? "";
    for (const event of events) {
      const message = readEvent(event);
      if (message === null || !("result" in message || "error" in message)) continue;
      if (this.awaited === undefined || message.id === this.awaited || message.id === null) return message;
    }
    return null;
  }
}

function readEvent(event: string): PeerMessage | null {
  const lines = event.split(/\r?\n/).filter((line) => line.startsWith("data:"));
  return parseObject(lines.map((line) => line.slice("data:".length).trimStart()).join("\n"));
}

function parseObject(text: string): PeerMessage | null {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : null;
  } catch {
    return null;
  }
}
