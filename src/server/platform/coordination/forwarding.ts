import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
  request as sendRequest,
} from "node:http";
import {
  CLIENT_HEADER,
  PROXY_USER_HEADER,
  type ProxyUser,
  readProxyUser,
  toHeaders,
  writeProxyUser,
} from "../../../lib/http-guard/request-headers";
import type { Instance, Instances } from "./instances";

/** What an instance says of a request that it passes on; clients must not send it. */
const FORWARD_HEADER = "toolroom-forwarded";
/** Instances' clocks may differ by this much. */
const MAX_AGE_MS = 60_000;
/** Less than servers keep an idle connection open, so that no request meets one that is being closed. */
const IDLE_SOCKET_MS = 30_000;
const CHECK_OWNER_MS = 500;
/** Headers of one connection, which are not passed on (RFC 9110, 7.6.1), and what the sender sets itself or signs. */
const OWN_HEADERS = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  "content-length",
  "x-forwarded-for",
  "x-forwarded-proto",
  PROXY_USER_HEADER,
  FORWARD_HEADER,
]);

/** A process says so that begins at the address where the instance was that a request is for. */
const PHASE_HEADER = "toolroom-phase";
const MISDIRECTED = 421;
/** Nothing listens at the address of the instance. */
const REFUSED = new Set(["ECONNREFUSED", "EHOSTUNREACH"]);

/**
 * How a request to another instance ended: `answered`; `not_taken`, the instance has not begun with it; `gone`, nor will it: nothing or another
 * process is at its address; `lost`, the instance may have begun with it and gave no whole answer.
 */
export type Forwarded = { outcome: "answered" | "not_taken" | "gone" } | { outcome: "lost"; bodyBytes: number };

/** Passes requests on to other instances, and recognizes those that others pass on. */
export interface Forwarding {
  readonly copies: Pick<Instances, "self" | "list" | "isLiving">;
  /**
   * Looks at what a request says of itself. A forwarded one gets the client's address as the first instance saw it.
   * @returns `misdirected` for a header that an instance signed for another process than this one, such as the one that was at this address
   * before, or that is too old; `forged` for one that no instance signed
   */
  admit(request: IncomingMessage): "outside" | "forwarded" | "misdirected" | "forged";
  isForwarded(request: IncomingMessage): boolean;
  /** False for a forwarded request whose body is another than the one that its instance signed. */
  hasSignedBody(request: IncomingMessage, body: Buffer | string): boolean;
  /** Sends a request and streams the answer. A client that leaves ends it. */
  send(to: Instance, request: IncomingMessage, body: Buffer | string, response: ServerResponse): Promise<Forwarded>;
  /** A request of this instance's own. Rejects with `NotSent` where the instance cannot have begun with it. */
  open(to: Instance, path: string, body: string, signal: AbortSignal): Promise<IncomingMessage>;
  close(): void;
}

/** Names an instance in ids that clients get: short, and no help to guess the id of another instance. */
export function toInstanceTag(instanceId: string): string {
  return createHash("sha256").update(instanceId).digest("base64url").slice(0, 8);
}

interface Statement {
  method: string;
  url: string;
  to: string;
  at: number;
  client: string;
  protocol: string;
  /** The SHA-256 of the body. */
  digest: string;
  /** JSON of the user that a trusted proxy named to the first instance; empty without one. */
  user: string;
}

const hashBody = (body: Buffer | string): string => createHash("sha256").update(body).digest("base64url");

/** Left out where there is none, so that instances of the version before understand the rest. */
const listUser = (user: string): string[] => (user === "" ? [] : [user]);

/** @param key secret, and the same at each instance */
export function createForwarding(copies: Forwarding["copies"], key: string, now: () => number): Forwarding {
  const agent = new Agent({ keepAlive: true, timeout: IDLE_SOCKET_MS });
  const forwarded = new WeakMap<IncomingMessage, Statement>();

  function sign({ method, url, to, at, client, protocol, digest, user }: Statement): Buffer {
    return createHmac("sha256", key)
      .update(JSON.stringify([method, url, to, at, client, protocol, digest, ...listUser(user)]))
      .digest();
  }

  function createHeader(
    to: Instance,
    stated: Pick<Statement, "method" | "url" | "client" | "protocol" | "digest" | "user">,
  ): string {
    const statement = { ...stated, to: to.id, at: now() };
    const { at, client, protocol, digest, user } = statement;
    const text = Buffer.from(JSON.stringify([at, client, protocol, to.id, digest, ...listUser(user)])).toString(
      "base64url",
    );
    return `${text}.${sign(statement).toString("base64url")}`;
  }

  /** Null for a header that no instance wrote for this request. */
  function verify(header: string, { method = "", url = "" }: IncomingMessage): Statement | null {
    const [text = "", signature = ""] = header.split(".");
    const [at, client, protocol, to, digest, user = ""] = readParts(text);
    if (typeof at !== "number" || typeof client !== "string" || typeof protocol !== "string") return null;
    if (typeof to !== "string" || typeof digest !== "string" || typeof user !== "string") return null;
    const statement = { method, url, to, at, client, protocol, digest, user };
    const expected = sign(statement);
    const given = Buffer.from(signature, "base64url");
    return given.length === expected.length && timingSafeEqual(given, expected) ? statement : null;
  }

  const isForThis = ({ to, at }: Statement): boolean => to === copies.self.id && Math.abs(now() - at) <= MAX_AGE_MS;

  function open(to: Instance, options: { method: string; path: string; headers: Record<string, string | string[]> }) {
    const { hostname, port } = new URL(to.address ?? "http://127.0.0.1:0");
    return sendRequest({ ...options, agent, host: hostname.replace(/^\[|\]$/g, ""), port });
  }

  return {
    copies,
    admit(request) {
      const header = request.headers[FORWARD_HEADER];
      if (header === undefined) return "outside";
      delete request.headers[FORWARD_HEADER];
      const statement = typeof header === "string" ? verify(header, request) : null;
      if (statement === null) return "forged";
      if (!isForThis(statement)) return "misdirected";
      request.headers[CLIENT_HEADER] = statement.client;
      request.headers["x-forwarded-for"] = statement.client;
      request.headers["x-forwarded-proto"] = statement.protocol;
      writeProxyUser(request.headers, statement.user === "" ? null : (JSON.parse(statement.user) as ProxyUser));
      forwarded.set(request, statement);
      return "forwarded";
    },
    isForwarded: (request) => forwarded.has(request),
    hasSignedBody(request, body) {
      const statement = forwarded.get(request);
      return statement === undefined || statement.digest === hashBody(body);
    },
    async send(to, request, body, response) {
      if (to.address === null) return { outcome: "not_taken" };
      const { method = "GET", url = "/" } = request;
      const headers: Record<string, string | string[]> = {};
      for (const [name, value] of Object.entries(request.headers)) {
        if (value !== undefined && !OWN_HEADERS.has(name)) headers[name] = value;
      }
      const client = String(request.headers[CLIENT_HEADER] ?? "");
      const protocol = String(request.headers["x-forwarded-proto"] ?? "http");
      const named = readProxyUser(toHeaders(request));
      const user = named === null ? "" : JSON.stringify(named);
      headers[FORWARD_HEADER] = createHeader(to, { method, url, client, protocol, digest: hashBody(body), user });
      if (method === "POST") headers["content-length"] = String(Buffer.byteLength(body));
      const upstream = open(to, { method, path: url, headers });
      upstream.end(body);
      return await relay(upstream, response, () => copies.isLiving(to.id));
    },
    open(to, path, body, signal) {
      const headers = {
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
        [FORWARD_HEADER]: createHeader(to, {
          user: "",
          method: "POST",
          url: path,
          client: "",
          protocol: "http",
          digest: hashBody(body),
        }),
      };
      return new Promise((resolve, reject) => {
        if (to.address === null || signal.aborted) return reject(createNotSent("The copy takes no requests"));
        const upstream = open(to, { method: "POST", path, headers });
        const isConnected = watchConnecting(upstream);
        const onAbort = (): void => void upstream.destroy(new Error("The request was ended"));
        signal.addEventListener("abort", onAbort, { once: true });
        upstream.once("close", () => signal.removeEventListener("abort", onAbort));
        upstream.once("error", (error) => reject(isConnected() ? error : createNotSent(error.message)));
        upstream.once("response", resolve);
        upstream.end(body);
      });
    },
    close: () => agent.destroy(),
  };
}

const createNotSent = (message: string): Error => Object.assign(new Error(message), { name: "NotSent" });

/** @returns whether there has been a connection: from then on the other side may have begun with the request */
function watchConnecting(upstream: ClientRequest): () => boolean {
  let isConnected = false;
  upstream.once("socket", (socket) => {
    isConnected = !socket.connecting;
    socket.once("connect", () => (isConnected = true));
  });
  return () => isConnected;
}

function readParts(text: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

/** Streams the answer of another instance, chunk by chunk. Never rejects. */
function relay(upstream: ClientRequest, response: ServerResponse, isLiving: () => boolean): Promise<Forwarded> {
  return new Promise((resolve) => {
    const isConnected = watchConnecting(upstream);
    let bodyBytes = 0;
    const end = (outcome: Forwarded): void => {
      clearInterval(check);
      response.off("close", leave);
      resolve(outcome);
    };
    const fail = (error?: Error): void => {
      const isRefused = REFUSED.has(String((error as { code?: unknown } | undefined)?.code));
      end(isConnected() ? { outcome: "lost", bodyBytes } : { outcome: isRefused ? "gone" : "not_taken" });
    };
    const leave = (): void => void upstream.destroy();
    // An instance that stands still keeps its connections open.
    const check = setInterval(() => !isLiving() && upstream.destroy(), CHECK_OWNER_MS).unref();
    response.once("close", leave);
    upstream.once("error", fail);
    upstream.once("response", (answer) => {
      // An instance that serves a request never answers so: it is stopping, or another process.
      if (answer.statusCode === 503 || answer.statusCode === MISDIRECTED) {
        answer.resume();
        const isOther = answer.statusCode === MISDIRECTED || answer.headers[PHASE_HEADER] === "starting";
        return end({ outcome: isOther ? "gone" : "not_taken" });
      }
      response.writeHead(answer.statusCode ?? 502, passHeaders(answer));
      response.flushHeaders();
      answer.on("data", (chunk: Buffer) => {
        bodyBytes += chunk.length;
        if (response.write(chunk)) return;
        answer.pause();
        response.once("drain", () => answer.resume());
      });
      answer.once("end", () => {
        response.end();
        end({ outcome: "answered" });
      });
      answer.once("error", fail);
      answer.once("close", () => fail());
    });
  });
}

function passHeaders({ headers }: IncomingMessage): Record<string, string | string[]> {
  const passed: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && (name === "content-length" || !OWN_HEADERS.has(name))) passed[name] = value;
  }
  return passed;
}
