import { ZodError } from "zod";
import { type Problem, problemsOfIssues } from "../../../lib/contract/problem";
import { messageOf } from "../../../lib/message-of";
import { isNestedDeeperThan } from "../../../lib/nesting";
import { parseJson } from "../../../lib/parse-in-slices";
import { isTooManyKeys } from "../../../lib/too-many-keys";
import { AppError, findAppError, HTTP_STATUS, retryHeaders } from "../../shared/app-error";
import { assertAllowed, assertWithinLimits } from "../../shared/assert-allowed";
import { watchReader } from "../../shared/watch-reader";
import type { ApiContext, RequestContext } from "../context";
import { recordDenial } from "../record-denial";
import { describeApi } from "./openapi";
import { ROUTES, type Route } from "./routes";

const REST_PATH = "/api/v1";
const MAX_BODY_LEVELS = 1000;

export interface RestPorts {
  createContext(request: Request): Promise<RequestContext>;
  version: string;
  logger: { error(fields: object, message: string): void };
}

/** Answers a request to `/api/v1`. Never rejects. */
export async function answerRest(request: Request, ports: RestPorts): Promise<Response> {
  try {
    return await answer(request, ports);
  } catch (error) {
    if (error instanceof ZodError) {
      const problems = problemsOfIssues(error.issues);
      const message = problems.map(({ path, message: text }) => `${path || "body"}: ${text}`).join("; ");
      return refuse(400, "INVALID", message, problems);
    }
    const refusal = findAppError(error);
    if (refusal !== null) return refuseWith(refusal);
    ports.logger.error({ stack: error instanceof Error ? error.stack : String(error) }, "An API request failed");
    return refuse(500, "INTERNAL", "Something went wrong in the server; its log says what");
  }
}

async function answer(request: Request, { createContext, version }: RestPorts): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const path = pathname.slice(REST_PATH.length).replace(/\/$/, "");
  if (request.method === "GET" && path === "/health") return json(200, { status: "ok" });
  if (request.method === "GET" && path === "/openapi.json") return json(200, describeApi(ROUTES, version));
  const found = findRoute(request.method, path);
  const context = await createContext(request);
  const ctx = await demandRights(context, found?.route ?? null);
  if (found === null) {
    throw new AppError(
      "NOT_FOUND",
      `There is no ${request.method} ${REST_PATH}${path}: ${REST_PATH}/openapi.json lists all`,
    );
  }
  const { route, params } = found;
  const query = route.query?.parse(Object.fromEntries(searchParams)) ?? {};
  const body = route.body?.parse(await readBody(request)) ?? {};
  const watch = (onLost: () => void): (() => void) =>
    watchReader({
      ...{ userId: ctx.actor.id, permission: route.permission, recheck: context.recheck, onLost },
      onChange: context.onAccessChange,
    });
  const result = await route.answer(ctx, { params, query, body, request, watch });
  return result instanceof Response ? result : json(200, result);
}

/** Everything that is not there is told to those who are signed in only. */
async function demandRights({ actor, refusal, ...context }: RequestContext, route: Route | null): Promise<ApiContext> {
  if (actor === null)
    throw refusal ?? new AppError("UNAUTHENTICATED", "Send an API token: Authorization: Bearer <token>");
  await recordDenial(context.services.auditLog, actor, route ? `${route.method} ${route.path}` : "read", () => {
    assertAllowed(actor, route?.permission ?? "read");
    assertWithinLimits(actor, route?.forLimitedTokens === true);
  });
  return { ...context, actor };
}

function findRoute(method: string, path: string): { route: Route; params: Record<string, string> } | null {
  const given = path.split("/");
  for (const route of ROUTES) {
    const wanted = route.path.split("/");
    if (route.method !== method || wanted.length !== given.length) continue;
    const params: Record<string, string> = {};
    const fits = wanted.every((part, index) => {
      const name = /^\{(\w+)\}$/.exec(part)?.[1];
      if (name === undefined) return part === given[index];
      params[name] = decodeURIComponent(given[index] ?? "");
      return params[name] !== "";
    });
    if (fits) return { route, params };
  }
  return null;
}

async function readBody(request: Request): Promise<unknown> {
  const text = await request.text();
  if (text.trim() === "") return {};
  let value: unknown;
  try {
    value = await parseJson(text);
  } catch (error) {
    const reason = messageOf(error);
    throw new AppError("INVALID", `The body ${isTooManyKeys(error) ? "is refused" : "is not JSON"}: ${reason}`);
  }
  if (isNestedDeeperThan(value, MAX_BODY_LEVELS)) {
    throw new AppError("INVALID", `The body is nested deeper than ${MAX_BODY_LEVELS} levels`);
  }
  return value;
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return Response.json(body ?? null, { status, headers: { "cache-control": "no-store", ...headers } });
}

function refuseWith(refusal: AppError): Response {
  const { code, message, problems } = refusal;
  return refuse(HTTP_STATUS[code], code, message, problems, retryHeaders(refusal));
}

function refuse(
  status: number,
  code: string,
  message: string,
  problems: readonly Problem[] = [],
  headers: Record<string, string> = {},
): Response {
  const challenge: Record<string, string> = status === 401 ? { "www-authenticate": 'Bearer realm="toolroom"' } : {};
  return json(status, { error: { code, message, problems } }, { ...challenge, ...headers });
}
