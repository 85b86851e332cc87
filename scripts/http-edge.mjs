import { IncomingMessage } from "node:http";
import { removeBasePath } from "./base-path.mjs";

/** @typedef {{ status: number, message: string, headers?: Record<string, string> }} Refusal */

/** Only a WebSocket handshake leaves HTTP; a server may ignore every other `Upgrade`, such as h2c. */
function isWebSocketHandshake(/** @type {IncomingMessage} */ request) {
  return request.method === "GET" && /(?:^|,)\s*websocket\s*(?:,|$)/i.test(request.headers.upgrade ?? "");
}

/**
 * For `createServer({ IncomingMessage })`. Node hands every request with an `Upgrade` header to the `upgrade` listener as
 * soon as there is one, and only newer releases let a server choose (`shouldUpgradeCallback`). Node reads this property
 * to decide, in every release, so that other requests take the ordinary path: bodies, keep-alive and all.
 */
export class EdgeRequest extends IncomingMessage {
  /** Not private: the constructor of IncomingMessage sets `upgrade` before private fields exist. */
  offersUpgrade = false;

  /** CONNECT leaves HTTP too; its listener refuses it. */
  get upgrade() {
    return this.offersUpgrade && (this.method === "CONNECT" || isWebSocketHandshake(this));
  }

  set upgrade(offered) {
    this.offersUpgrade = offered === true;
  }
}

/**
 * For `createServer`. A client may be busy between two requests: the SDK's first generation compiles 1,000 schemas for 10 s
 * between two pages, and Node's own 5 s close its connection in between. The headers of a request have to come within the
 * second limit, which must be longer, since it counts from the end of the request before.
 */
export const CONNECTION_LIMITS = { keepAliveTimeout: 75_000, headersTimeout: 80_000 };

const PAGE_METHODS = ["GET", "HEAD", "OPTIONS"];
const API_METHODS = ["GET", "HEAD", "OPTIONS", "POST"];
const REST_METHODS = [...API_METHODS, "PUT", "PATCH", "DELETE"];

/** @type {Record<number, string>} */
const ERROR_CODES = {
  400: "INVALID",
  403: "DENIED",
  404: "NOT_FOUND",
  405: "METHOD_NOT_ALLOWED",
  413: "TOO_LARGE",
  503: "UNAVAILABLE",
};

/** The body of an error, in the shape of the REST API's errors. @param {number} status @param {string} message */
export function errorBody(status, message) {
  return { error: { code: ERROR_CODES[status] ?? "INTERNAL", message, problems: [] } };
}

/**
 * Turns an absolute-form target (`GET http://host/path`, as proxies send it) into a path, whose host replaces the Host
 * header (RFC 9112, 3.2.2), so that the guards check the requested name.
 * @returns {Refusal | null}
 */
function normalizeTarget(/** @type {IncomingMessage} */ request) {
  const target = request.url ?? "/";
  if (!target.startsWith("/")) {
    const url = URL.canParse(target) ? new URL(target) : null;
    if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
      return { status: 400, message: "The request target must be a path or an http address." };
    }
    request.url = url.pathname + url.search;
    request.headers.host = url.host;
  }
  const path = request.url?.split("?", 1)[0] ?? "/";
  try {
    if (path.includes("%")) decodeURI(path);
  } catch {
    return { status: 400, message: "The path is not valid: a % must be followed by the two digits of a UTF-8 byte." };
  }
  return null;
}

/** Headers that decide who asks for what. Node takes the first of two, a proxy in front may have checked the last. */
const SINGLE_HEADERS = new Set(["host", "authorization", "origin", "content-type", "sec-fetch-site"]);

/** @returns {Refusal | null} */
export function checkHeaders(/** @type {IncomingMessage} */ { rawHeaders }) {
  const seen = new Set();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.has(name)) return { status: 400, message: `The header ${name} must be sent once.` };
    seen.add(name);
  }
  return null;
}

/** Headers that Next sends between its own parts, with which a client could steer it, and those that only its pages' own script sends. */
const INTERNAL_HEADER =
  /^(?:x-(?:middleware|next|nextjs|invoke|matched|now|vercel|prerender|action)-|next-resume$|next-action$)/;
const PAGE_HEADER = /^(?:rsc$|next-)/;
const ROUTER_STATE = "next-router-state-tree";

/** Next answers any other value than `[segment, children, …]` with an internal error. @param {unknown} text */
function isRouterState(text) {
  try {
    const [segment, children] = JSON.parse(decodeURIComponent(String(text)));
    const isSegment = typeof segment === "string" || Array.isArray(segment);
    return isSegment && typeof children === "object" && children !== null && !Array.isArray(children);
  } catch {
    return false;
  }
}

function dropInternalHeaders(/** @type {IncomingMessage} */ { headers, url = "" }) {
  const isPage = !/^\/(?:api|mcp)(?:[/?]|$)/.test(url);
  for (const name of Object.keys(headers)) {
    if (INTERNAL_HEADER.test(name) || (!isPage && PAGE_HEADER.test(name))) delete headers[name];
  }
  if (headers[ROUTER_STATE] !== undefined && !isRouterState(headers[ROUTER_STATE])) delete headers[ROUTER_STATE];
}

/**
 * Refuses methods and targets that the application does not serve. Call it before routing,
 * since it may change `request.url`; the gateway decides about methods on `/mcp` itself.
 * @returns {Refusal | null} null: the request may pass. A status below 300 has no message to show.
 */
export function checkTarget(/** @type {IncomingMessage} */ request, basePath = "") {
  const { method = "GET" } = request;
  const headerRefusal = checkHeaders(request);
  if (headerRefusal !== null) return headerRefusal;
  if (request.url === "*" && method === "OPTIONS") return allowOnly(API_METHODS, method);
  const refusal = normalizeTarget(request);
  if (refusal !== null) return refusal;
  request.url = removeBasePath(request.url ?? "/", basePath);
  dropInternalHeaders(request);
  const path = request.url?.split("?", 1)[0] ?? "/";
  if (/^\/mcp(?:\/|$)/.test(path)) return null;
  // An error page that Next serves under a path of its own, with status 500.
  if (path === "/_global-error") return { status: 404, message: "Page not found." };
  // The REST API and SCIM answer with the methods that a path has.
  if (/^\/(?:api\/v1|scim\/v2)\//.test(path))
    return REST_METHODS.includes(method) ? null : allowOnly(REST_METHODS, method);
  if (/^\/api(?:\/|$)/.test(path)) {
    return API_METHODS.includes(method) ? null : allowOnly(API_METHODS, method);
  }
  return method === "GET" || method === "HEAD" ? null : allowOnly(PAGE_METHODS, method);
}

/** @param {string[]} methods @param {string} method @returns {Refusal} */
function allowOnly(methods, method) {
  const headers = { allow: methods.join(", ") };
  if (method === "OPTIONS") return { status: 204, message: "", headers };
  return { status: 405, message: `The method ${method} is not allowed here: use ${methods.join(", ")}.`, headers };
}

/** A whole answer for a socket that Node has taken out of HTTP. @param {Refusal} refusal */
export function rawAnswer({ status, message, headers = {} }) {
  const body = JSON.stringify(errorBody(status, message));
  const lines = Object.entries({
    connection: "close",
    "content-type": "application/json",
    "cache-control": "no-store",
    "content-length": String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_TEXTS[status] ?? "Error"}\r\n${lines.join("")}\r\n${body}`;
}

/** @type {Record<number, string>} */
const STATUS_TEXTS = { 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed", 503: "Service Unavailable" };
