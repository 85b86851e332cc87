import type { LastEdit } from "../../../../lib/contract/last-edit";
import type { Problem } from "../../../../lib/contract/problem";
import { newId } from "../../../../lib/execution-id";
import type { IdempotentId, Route } from "../../../platform/api/route";
import { NO_FIELDS } from "../../../platform/api/route-inputs";
import { AppError, findAppError, toRefusalInit } from "../../../platform/shared/app-error";
import { assertMayAsk } from "../../../platform/shared/audited-call";
import { takeArguments, takeText } from "../../../platform/shared/parse-json-text";
import type { RequestQuota } from "../../../platform/shared/rate-limiter";
import { toExactResponse, toJsonResponse } from "../../../platform/shared/responses";
import { watchReader } from "../../../platform/shared/watch-reader";
import type { ApiContext, RequestContext } from "../context";
import { asOutdated, editTagHeader, matchEdit } from "./edit-tag";
import { describeApi } from "./openapi";
import { parseInput, readBody, readQuery } from "./request-values";
import { ROUTES } from "./routes";

const REST_PATH = "/api/v1";
const READ_METHODS = "GET, HEAD, OPTIONS";
const REQUEST_ID = /^[\w.:@/+=-]{1,128}$/;

export interface RestPorts {
  createContext(request: Request): Promise<RequestContext>;
  /** What remains of the limit that the request counts for; null without limits. */
  readQuota(request: Request): Promise<RequestQuota | null>;
  version: string;
  logger: { error(fields: object, message: string): void; debug(fields: object, message: string): void };
}

/** Answers a request to `/api/v1`. Never rejects. */
export async function answerRest(request: Request, ports: RestPorts): Promise<Response> {
  const begun = performance.now();
  const asked = request.headers.get("x-request-id") ?? "";
  const requestId = REQUEST_ID.test(asked) ? asked : newId("req");
  const { method } = request;
  const { pathname } = new URL(request.url);
  const answered = await answer(request, ports).catch((error: unknown) => {
    const refusal = findAppError(error);
    if (refusal !== null) return refuseWith(refusal, requestId);
    const stack = error instanceof Error ? error.stack : String(error);
    ports.logger.error({ requestId, method, path: pathname, stack }, "An API request failed");
    return rejectRequest({
      status: 500,
      code: "INTERNAL",
      message: "Something went wrong in the server; its log says what",
      requestId,
    });
  });
  const quota = await ports.readQuota(request).catch(() => null);
  const response = method === "HEAD" ? await withoutBody(answered) : answered;
  for (const [name, value] of Object.entries({ "x-request-id": requestId, ...(quota && quotaHeaders(quota)) })) {
    response.headers.set(name, value);
  }
  const ms = Math.round(performance.now() - begun);
  ports.logger.debug({ requestId, method, path: pathname, status: response.status, ms }, "An API request was answered");
  return response;
}

async function answer(request: Request, { createContext, version }: RestPorts): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const method = request.method === "HEAD" ? "GET" : request.method;
  const path = pathname.slice(REST_PATH.length).replace(/\/$/, "");
  if (path === "/health" || path === "/openapi.json") {
    if (method === "OPTIONS") return new Response(null, { status: 204, headers: { allow: READ_METHODS } });
    if (method !== "GET") throw new MethodNotAllowed(method, READ_METHODS);
    return toJsonResponse(200, path === "/health" ? { status: "ok" } : describeApi(ROUTES, version));
  }
  const found = findPath(path);
  if (method === "OPTIONS" && found !== null) {
    return new Response(null, { status: 204, headers: { allow: allowedMethods(found) } });
  }
  const context = await createContext(request);
  const route = found?.routes.get(method) ?? null;
  const ctx = await demandRights(context, route);
  if (found === null) throw notFound(`There is no ${REST_PATH}${path}`);
  if (route === null) throw new MethodNotAllowed(request.method, allowedMethods(found));
  const querySchema = route.query ?? NO_FIELDS;
  const query = parseInput(querySchema, readQuery(searchParams, querySchema), "query");
  const hasBody = method !== "GET" && method !== "DELETE";
  const sent = hasBody ? await readBody(request) : { text: "", value: {} };
  const body = hasBody ? parseInput(route.body ?? NO_FIELDS, sent.value, "body") : {};
  const given = {
    param: (name: string) => found.params[name] ?? "",
    query,
    body,
    request,
    readArguments: () => takeArguments(sent),
    readText: (member: string) => takeText(sent.text, member),
    idempotency: await reserveKey(ctx, route, request, `${method} ${path}\n${sent.text}`),
    watch: (onLost: () => void) =>
      watchReader({
        userId: ctx.actor.id,
        permission: route.permission,
        recheck: context.recheck,
        onLost,
        onChange: context.onAccessChange,
      }),
    matchEdit: (current: LastEdit | undefined) => matchEdit(request, current),
  };
  const result = await Promise.resolve(route.answer(ctx, given)).catch((error: unknown) => {
    throw asOutdated(error, request);
  });
  const response = result instanceof Response ? result : toResponse(route, result);
  const notice = route.successor === undefined ? {} : deprecationHeaders(route.successor, found.params);
  for (const [name, value] of Object.entries(notice)) response.headers.set(name, value);
  return response;
}

function toResponse(route: Route, result: unknown): Response {
  if (result === undefined) return new Response(null, { status: 204 });
  const respond = route.hasDefinitions ? toExactResponse : toJsonResponse;
  return respond(route.status ?? 200, result, route.versioned ? editTagHeader(result) : {});
}

/** The field `Deprecation` of RFC 9745, and what takes the route's place. */
function deprecationHeaders(
  { rest, since }: NonNullable<Route["successor"]>,
  params: Record<string, string>,
): Record<string, string> {
  const [, pattern = ""] = rest.split(" ");
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  return {
    deprecation: `@${Date.parse(since) / 1000}`,
    link: `<${REST_PATH}${path}>; rel="successor-version"`,
  };
}

async function reserveKey(
  { services, actor }: ApiContext,
  { idempotent: prefix }: Route,
  { headers }: Request,
  request: string,
): Promise<IdempotentId | null> {
  const key = headers.get("idempotency-key");
  return key === null || prefix === undefined
    ? null
    : await services.idempotency.reserve(actor, key, { request, prefix });
}

/** Checks authentication first: only signed-in callers learn that a route does not exist. */
async function demandRights({ actor, refusal, ...context }: RequestContext, route: Route | null): Promise<ApiContext> {
  if (actor === null)
    throw refusal ?? new AppError("UNAUTHENTICATED", "Send an API token: Authorization: Bearer <token>");
  await assertMayAsk(context.services.auditLog, {
    by: actor,
    action: route ? `${route.method} ${route.path}` : "read",
    permission: route?.permission ?? "read",
    admitsLimited: route?.forLimitedTokens === true,
  });
  return { ...context, actor };
}

function notFound(message: string): AppError {
  return new AppError("NOT_FOUND", `${message}: ${REST_PATH}/openapi.json lists all`);
}

/** The path has other methods. */
class MethodNotAllowed extends AppError {
  constructor(
    method: string,
    readonly allow: string,
  ) {
    super("METHOD_NOT_ALLOWED", `The method ${method} is not allowed here: use ${allow}`);
  }
}

async function withoutBody(response: Response): Promise<Response> {
  await response.body?.cancel();
  return new Response(null, { status: response.status, headers: response.headers });
}

/** The fields `RateLimit-Policy` and `RateLimit` of the IETF draft. */
function quotaHeaders({ limit, left, resetSeconds }: RequestQuota): Record<string, string> {
  return {
    "ratelimit-policy": `"requests";q=${limit};w=60`,
    ratelimit: `"requests";r=${left};t=${resetSeconds}`,
  };
}

function refuseWith(refusal: AppError, requestId: string): Response {
  const { code, message, problems } = refusal;
  const { status, headers: common } = toRefusalInit(refusal);
  const headers = { ...common, ...("allow" in refusal ? { allow: String(refusal.allow) } : {}) };
  return rejectRequest({ status, code, message, problems, headers, requestId });
}

interface Refusal {
  status: number;
  code: string;
  message: string;
  requestId: string;
  problems?: readonly Problem[];
  headers?: Record<string, string>;
}

function rejectRequest({ status, code, message, requestId, problems = [], headers = {} }: Refusal): Response {
  const challenge: Record<string, string> = status === 401 ? { "www-authenticate": 'Bearer realm="toolroom"' } : {};
  return toJsonResponse(status, { error: { code, message, problems, requestId } }, { ...challenge, ...headers });
}

interface PathPart {
  text: string;
  /** The name of the parameter in this place; null for a fixed text. */
  parameter: string | null;
}

interface KnownPath {
  route: Route;
  parts: readonly PathPart[];
}

/** The routes by the number of their parts, in their order. */
function groupByLength(routes: readonly Route[]): ReadonlyMap<number, readonly KnownPath[]> {
  const groups = new Map<number, KnownPath[]>();
  for (const route of routes) {
    const parts = route.path
      .split("/")
      .map((text): PathPart => ({ text, parameter: /^\{(\w+)\}$/.exec(text)?.[1] ?? null }));
    groups.set(parts.length, [...(groups.get(parts.length) ?? []), { route, parts }]);
  }
  return groups;
}

const PATHS = groupByLength(ROUTES);

interface FoundPath {
  /** Routes by method. */
  routes: Map<string, Route>;
  params: Record<string, string>;
}

/** The routes of a path; null where there is none. @throws AppError for a parameter that is not UTF-8 */
export function findPath(path: string): FoundPath | null {
  const texts = path.split("/");
  const found: FoundPath = { routes: new Map(), params: {} };
  for (const { route, parts } of PATHS.get(texts.length) ?? []) {
    const params = found.routes.has(route.method) ? null : matchParts(parts, texts);
    if (params === null) continue;
    found.routes.set(route.method, route);
    found.params = params;
  }
  return found.routes.size === 0 ? null : found;
}

function matchParts(parts: readonly PathPart[], texts: readonly string[]): Record<string, string> | null {
  const params: Record<string, string> = {};
  for (const [index, { text, parameter }] of parts.entries()) {
    const sent = texts[index] ?? "";
    if (parameter === null ? text !== sent : sent === "") return null;
    if (parameter !== null) params[parameter] = decode(sent);
  }
  return params;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new AppError("INVALID", "The path is not valid: a % must be followed by the two digits of a UTF-8 byte");
  }
}

/** For the `Allow` header: GET answers HEAD too. */
function allowedMethods({ routes }: Pick<FoundPath, "routes">): string {
  const methods = [...routes.keys()];
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
}
