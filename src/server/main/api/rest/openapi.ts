import { STATUS_CODES } from "node:http";
import type { z } from "zod";
import { REQUIREMENTS } from "../../../../lib/contract/access";
import type { Route } from "../../../platform/api/route";
import { IF_MATCH } from "./edit-tag";
import { errorSchema, SchemaWriter } from "./openapi-schemas";
import { takesList } from "./request-values";

const DESCRIPTION = `Tools, executions, runs, approvals and the catalog. Times in answers are epoch milliseconds.
Lists are read in pages: \`nextCursor\` of one is \`cursor\` of the next.`;

/** The OpenAPI 3.1 document of the REST API, from the same contracts that check requests and type answers. */
export function describeApi(routes: readonly Route[], version: string, writer = new SchemaWriter()): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describeRoute(route, writer) };
  }
  const error = writer.write(errorSchema, "output");
  return {
    openapi: "3.1.0",
    info: { title: "Toolroom", version, description: DESCRIPTION, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: "/api/v1" }],
    security: [{ token: [] }],
    paths: { ...paths, "/health": { get: describeHealth() } },
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer", description: "An API token of Settings → Account" } },
      headers: HEADERS,
      schemas: { Error: error, ...writer.shared },
    },
  };
}

const integer = (description: string) => ({ description, schema: { type: "integer" } });
const text = (description: string) => ({ description, schema: { type: "string" } });
const HEADERS = {
  "X-Request-Id": text("The request's own `X-Request-Id`, or one that was made"),
  "RateLimit-Policy": text("The limit: `q` requests in `w` seconds. Absent without limits"),
  RateLimit: text("`r` requests are left; all of them are after `t` seconds"),
  "Retry-After": integer("Seconds after which the request may be sent again"),
  Allow: text("The methods of this path"),
  ETag: text("Of the last edit, for `If-Match`. Absent for what comes from the configuration or from code"),
};
const refer = (...names: (keyof typeof HEADERS)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
const COMMON = refer("X-Request-Id", "RateLimit-Policy", "RateLimit");

function describeHealth(): object {
  const schema = { type: "object", properties: { status: { const: "ok", type: "string" } }, required: ["status"] };
  const content = { "application/json": { schema } };
  return {
    ...{ operationId: "getHealth", summary: "Whether the server runs", security: [] },
    responses: { 200: { description: "It runs", headers: COMMON, content } },
  };
}

function describeRoute(route: Route, writer: SchemaWriter): object {
  const { method, path, summary, permission, query, body, response, contentType, idempotent, versioned } = route;
  const needed = REQUIREMENTS[permission];
  const named = path.replace(/[/{}]+(\w)/g, (_, first: string) => first.toUpperCase()).replace(/\W/g, "");
  const operationId = method.toLowerCase() + named;
  const content = (schema: z.ZodType, io: "input" | "output", type = "application/json") => ({
    content: { [type]: { schema: writer.write(schema, io) } },
  });
  const limited = route.forLimitedTokens === true ? " A token that is limited to tools may use it for these." : "";
  return {
    ...{ operationId, summary, tags: [path.split("/")[1]] },
    description: `Needs the role ${needed.role} and, for a token, the scope ${needed.scope}.${limited}`,
    parameters: [
      ...pathParameters(path),
      ...queryParameters(query, writer),
      ...(idempotent === undefined ? [] : [IDEMPOTENCY_KEY]),
      ...(comparesEdits(route) ? [IF_MATCH_PARAMETER] : []),
    ],
    ...(body === undefined ? {} : { requestBody: { required: false, ...content(body, "input") } }),
    responses: {
      [route.status ?? (response === undefined ? 204 : 200)]: {
        description: response === undefined ? "Done" : "The result",
        headers: { ...COMMON, ...(versioned && response !== undefined ? refer("ETag") : {}) },
        ...(response === undefined ? {} : content(response, "output", contentType)),
      },
      ...(query === undefined ? {} : { 431: { description: "The address is too long" } }),
      ...Object.fromEntries(errorStatuses(route).map((status) => [status, describeError(status)])),
    },
  };
}

const IDEMPOTENCY_KEY = {
  ...{ name: "Idempotency-Key", in: "header", required: false, schema: { type: "string", maxLength: 200 } },
  description:
    "A request that is sent again with its key, within a day, acts once and gets the answer of the first one",
};

const comparesEdits = ({ versioned, method }: Route): boolean =>
  versioned === true && method !== "GET" && method !== "POST";

const IF_MATCH_PARAMETER = {
  ...{ name: IF_MATCH, in: "header", required: false, schema: { type: "string" } },
  description: "The `ETag` that was read: another edit since is refused with 412. Without it the request overwrites",
};

function errorStatuses(route: Route): number[] {
  const { method, body, idempotent } = route;
  const writes = method !== "GET";
  return [
    ...[400, 401, 403, 404, 429, 503],
    ...(writes ? [409] : []),
    ...(comparesEdits(route) ? [412] : []),
    ...(body === undefined ? [] : [413]),
    ...(idempotent === undefined ? [] : [422]),
  ].sort((left, right) => left - right);
}

function describeError(status: number): object {
  const waits = status === 429 || status === 503;
  return {
    description: ERRORS[status] ?? STATUS_CODES[status],
    headers: { ...COMMON, ...(waits ? refer("Retry-After") : {}) },
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  };
}

const ERRORS: Readonly<Record<number, string>> = {
  400: "The input is invalid; `problems` names each field",
  401: "No token, or one that is not valid",
  403: "The role or the token does not allow it, or it cannot be changed here",
  404: "Nothing has this name or id",
  409: "The state forbids it: a name is taken, or another request was faster",
  412: "It was changed since the `ETag` of `If-Match` was read",
  413: "The request is too large",
  422: "The `Idempotency-Key` was used for another request",
  429: "Too many requests",
  503: "The server is starting or stopping, or cannot store anything",
};

function pathParameters(path: string): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    ...{ name, in: "path", required: true },
    schema: { type: "string", minLength: 1 },
  }));
}

function queryParameters(query: z.ZodObject | undefined, writer: SchemaWriter): object[] {
  return Object.entries(query?.shape ?? {}).map(([name, schema]) => {
    const { description, ...written } = writer.write(schema as z.ZodType, "input") as { description?: string };
    return {
      ...{ name, in: "query", required: false },
      ...(description === undefined ? {} : { description }),
      ...(takesList(schema as z.ZodType) ? { style: "form", explode: true } : {}),
      schema: written,
    };
  });
}
