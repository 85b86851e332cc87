import { z } from "zod";
import { REQUIREMENTS } from "../../../lib/contract";
import type { Route } from "./routes";

const errorSchema = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    problems: z.array(z.object({ path: z.string(), message: z.string() })),
  }),
});

type Schemas = Record<string, object>;

/** What a schema refers to is added to `shared`: `#/$defs` would be looked for in the document. */
function toSchema(schema: z.ZodType, io: "input" | "output", shared: Schemas, prefix: string): object {
  const { $schema: _, ...made } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  const text = JSON.stringify(made).replaceAll('"#/$defs/', `"#/components/schemas/${prefix}`);
  const { $defs = {}, ...rest } = JSON.parse(text) as { $defs?: Schemas };
  for (const [name, part] of Object.entries($defs)) shared[prefix + name] = part;
  return rest;
}

/** The OpenAPI 3.1 document of the REST API, from the same contracts that check requests. */
export function describeApi(routes: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  const schemas: Schemas = {};
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route, schemas) };
  return {
    openapi: "3.1.0",
    info: { title: "Toolroom", version, description: "Tools, executions and runs. Times are epoch milliseconds." },
    servers: [{ url: "/api/v1" }],
    security: [{ token: [] }],
    paths: {
      ...paths,
      "/health": {
        get: { summary: "Health of the server", security: [], responses: { 200: { description: "It runs" } } },
      },
    },
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer", description: "An API token of Settings → Account" } },
      schemas: { ...schemas, Error: toSchema(errorSchema, "output", schemas, "Error") },
    },
  };
}

function operationOf({ method, path, summary, permission, query, body, response }: Route, schemas: Schemas): object {
  const needed = REQUIREMENTS[permission];
  const named = path.replace(/[/{}]+(\w)/g, (_, first: string) => first.toUpperCase()).replace(/\W/g, "");
  const operationId = method.toLowerCase() + named;
  const contentOf = (schema: z.ZodType, io: "input" | "output") => ({
    content: { "application/json": { schema: toSchema(schema, io, schemas, operationId) } },
  });
  const content = response === undefined ? {} : contentOf(response, "output");
  const error = { content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } };
  return {
    operationId,
    summary,
    description: `Needs the role ${needed.role} and, for a token, the scope ${needed.scope}.`,
    parameters: [...pathParameters(path), ...queryParameters(query, schemas, operationId)],
    ...(body === undefined ? {} : { requestBody: contentOf(body, "input") }),
    responses: {
      200: { description: "The result", ...content },
      400: { description: "The input is not valid; `problems` names each field", ...error },
      401: { description: "No token, or one that is not valid", ...error },
      403: { description: "The role or the token does not allow it", ...error },
      404: { description: "Nothing has this name or id", ...error },
    },
  };
}

function pathParameters(path: string): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters(query: z.ZodObject | undefined, schemas: Schemas, prefix: string): object[] {
  return Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    ...{ name, in: "query", required: false },
    schema: toSchema(schema as z.ZodType, "input", schemas, prefix),
  }));
}
