import { STATUS_CODES } from "node:http";
import { z } from "zod";
import { REQUIREMENTS } from "../../../../lib/contract/access";
import { apiTokenSchema } from "../../../../lib/contract/account";
import { actorSchema } from "../../../../lib/contract/actor-schema";
import { apiDocumentSchema, operationFilterSchema } from "../../../../lib/contract/api-document";
import { approvalFactsSchema, approvalItemSchema, toolApprovalSchema } from "../../../../lib/contract/approval";
import { importEntrySchema, importOutcomeSchema, importPreviewSchema } from "../../../../lib/contract/catalog-file";
import { toolDetailSchema, toolSummarySchema } from "../../../../lib/contract/catalog-tool";
import {
  chatContentSchema,
  chatMessageSchema,
  chatUsageSchema,
  functionCallContentSchema,
  functionResultContentSchema,
} from "../../../../lib/contract/chat-schema";
import { credentialSettingSchema, credentialSlotSchema } from "../../../../lib/contract/credential";
import { argumentVerdictSchema, faultSchema } from "../../../../lib/contract/envelope";
import { executionSummarySchema } from "../../../../lib/contract/execution";
import { problemSchema } from "../../../../lib/contract/problem-schema";
import {
  runDetailSchema,
  runSettingsSchema,
  runSummarySchema,
  toolSelectionSchema,
} from "../../../../lib/contract/run";
import { runEventSchema } from "../../../../lib/contract/run-event";
import { samplingSettingSchema } from "../../../../lib/contract/sampling";
import {
  secretSettingSchema,
  sensitiveSettingSchema,
  serverAuthSchema,
  serverDetailSchema,
  serverRootSchema,
  serverSettingsSchema,
  serverSummarySchema,
  toolFilterSchema,
} from "../../../../lib/contract/server";
import { toolDefinitionSchema } from "../../../../lib/contract/tool-definition-schema";
import { toolOverrideSchema, toolsetSchema, toolsetSummarySchema } from "../../../../lib/contract/toolset";
import { executionResponseSchema } from "../../../calls/executions/rest-calls";
import type { Route } from "../../../platform/api/route";
import { HTTP_STATUS } from "../../../platform/shared/app-error";
import { IF_MATCH } from "./edit-tag";
import { takesList } from "./request-values";

const errorSchema = z.object({
  error: z.object({
    code: z.enum([...Object.keys(HTTP_STATUS), "TOO_LARGE", "INTERNAL"]),
    message: z.string(),
    problems: z.array(problemSchema).describe("Each field that is wrong"),
    requestId: z.string().optional().describe("The response's `X-Request-Id`; absent where no route was reached"),
  }),
});

/** Schemas that have a name in the document, so that generated clients have a type for each. */
const NAMED: Record<string, z.ZodType> = {
  Actor: actorSchema,
  ApiDocument: apiDocumentSchema,
  ApiToken: apiTokenSchema,
  Approval: approvalItemSchema,
  ApprovalFacts: approvalFactsSchema,
  ArgumentVerdict: argumentVerdictSchema,
  ChatContent: chatContentSchema,
  ChatMessage: chatMessageSchema,
  ChatUsage: chatUsageSchema,
  CredentialSetting: credentialSettingSchema,
  CredentialSlot: credentialSlotSchema,
  Error: errorSchema,
  Execution: executionResponseSchema,
  ExecutionSummary: executionSummarySchema,
  Fault: faultSchema,
  FunctionCall: functionCallContentSchema,
  FunctionResult: functionResultContentSchema,
  ImportEntry: importEntrySchema,
  ImportOutcome: importOutcomeSchema,
  ImportPreview: importPreviewSchema,
  OperationFilter: operationFilterSchema,
  Problem: problemSchema,
  Run: runDetailSchema,
  RunEvent: runEventSchema,
  RunSettings: runSettingsSchema,
  RunSummary: runSummarySchema,
  SamplingSetting: samplingSettingSchema,
  SecretSetting: secretSettingSchema,
  SensitiveSetting: sensitiveSettingSchema,
  Server: serverDetailSchema,
  ServerAuth: serverAuthSchema,
  ServerRoot: serverRootSchema,
  ServerSettings: serverSettingsSchema,
  ServerSummary: serverSummarySchema,
  Tool: toolDetailSchema,
  ToolApproval: toolApprovalSchema,
  ToolDefinition: toolDefinitionSchema,
  ToolFilter: toolFilterSchema,
  ToolOverride: toolOverrideSchema,
  ToolSelection: toolSelectionSchema,
  ToolSummary: toolSummarySchema,
  Toolset: toolsetSchema,
  ToolsetSummary: toolsetSummarySchema,
};

/** Requests may omit fields that have a default: the same name has another schema there. */
const REGISTRIES = { input: createRegistry("Input"), output: createRegistry("") };

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
  "Retry-After": integer(
    "Seconds after which the request may be sent again; of a call, until a limit of a rule has room for it",
  ),
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
    operationId: "getHealth",
    summary: "Whether the server runs",
    security: [],
    responses: { 200: { description: "It runs", headers: COMMON, content } },
  };
}

function describeRoute(route: Route, writer: SchemaWriter): object {
  const { method, path, summary, permission, query, body, response, contentType, idempotent, versioned } = route;
  const needed = REQUIREMENTS[permission];
  const named = path.replace(/[/{}]+(\w)/g, (_, first: string) => first.toUpperCase()).replace(/\W/g, "");
  const operationId = method.toLowerCase() + named;
  const content = (
    schema: z.ZodType,
    io: "input" | "output",
    types: string | readonly string[] = "application/json",
  ) => ({
    content: Object.fromEntries([types].flat().map((type) => [type, { schema: writer.write(schema, io) }])),
  });
  const limited = route.forLimitedTokens === true ? " A token that is limited to tools may use it for these." : "";
  const successor = route.successor === undefined ? "" : ` Use ${route.successor.rest} instead.`;
  return {
    operationId,
    summary,
    ...(route.successor !== undefined && { deprecated: true }),
    tags: [path.split("/")[1]],
    description: `Needs the role ${needed.role} and, for a token, the scope ${needed.scope}.${limited}${successor}`,
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
        headers: {
          ...COMMON,
          ...(versioned && response !== undefined ? refer("ETag") : {}),
          ...(route.mayWait ? refer("Retry-After") : {}),
        },
        ...(response === undefined ? {} : content(response, "output", contentType)),
      },
      ...(query === undefined ? {} : { 431: { description: "The address is too long" } }),
      ...Object.fromEntries(errorStatuses(route).map((status) => [status, describeError(status)])),
    },
  };
}

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", maxLength: 200 },
  description:
    "A request that is sent again with its key, within a day, acts once and gets the answer of the first one",
};

const comparesEdits = ({ versioned, method }: Route): boolean =>
  versioned === true && method !== "GET" && method !== "POST";

const IF_MATCH_PARAMETER = {
  name: IF_MATCH,
  in: "header",
  required: false,
  schema: { type: "string" },
  description: "The `ETag` that was read: another edit since is refused with 412. Without it the request overwrites",
};

function errorStatuses(route: Route): number[] {
  const { method, body, idempotent } = route;
  const writes = method !== "GET";
  return [
    400,
    401,
    403,
    404,
    429,
    503,
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
    name,
    in: "path",
    required: true,
    schema: { type: "string", minLength: 1 },
  }));
}

function queryParameters(query: z.ZodObject | undefined, writer: SchemaWriter): object[] {
  return Object.entries(query?.shape ?? {}).map(([name, schema]) => {
    const { description, ...written } = writer.write(schema as z.ZodType, "input") as { description?: string };
    return {
      name,
      in: "query",
      required: false,
      ...(description === undefined ? {} : { description }),
      ...(takesList(schema as z.ZodType) ? { style: "form", explode: true } : {}),
      schema: written,
    };
  });
}

type Direction = "input" | "output";
type Schemas = Record<string, object>;
/** The name of a schema is its key in the document already. */
type Written = { id?: string; $schema?: string };

function createRegistry(suffix: string) {
  const registry = z.registry<{ id: string }>();
  for (const [name, schema] of Object.entries(NAMED)) registry.add(schema, { id: name + suffix });
  return registry;
}

/** Any JSON value: its own schema refers to itself, which many generators cannot compile. */
function withoutJsonSchema(key: string, value: unknown): unknown {
  return key === "$ref" && String(value).startsWith("#/components/schemas/__") ? undefined : value;
}

/** Makes the schemas of one document; `shared` collects the named ones, which become its components. */
export class SchemaWriter {
  readonly shared: Schemas = {};

  /** @param isWhole says of objects that they have no other keys, as a test wants it; clients must accept new ones */
  constructor(private readonly isWhole = false) {}

  write(schema: z.ZodType, io: Direction): object {
    const made = z.toJSONSchema(schema, {
      io,
      unrepresentable: "any",
      metadata: REGISTRIES[io],
      override: ({ zodSchema, jsonSchema }) => {
        // Zod reads descriptions from the registry of the names, which has none.
        const { description } = z.globalRegistry.get(zodSchema) ?? {};
        if (description !== undefined) jsonSchema.description = description;
        this.#simplify(jsonSchema, io);
      },
    });
    const text = JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/');
    const {
      $schema: _,
      $defs = {},
      id: __,
      ...rest
    } = JSON.parse(text, withoutJsonSchema) as Written & { $defs?: Record<string, Written> };
    for (const [name, { id: ___, ...part }] of Object.entries($defs)) {
      if (!name.startsWith("__")) this.shared[name] = part;
    }
    return rest;
  }

  #simplify(schema: z.core.JSONSchema.BaseSchema, io: Direction): void {
    // Every key of a JSON object is text, and generators take the keyword for a limit of the keys.
    delete schema.propertyNames;
    const { default: value, description = "" } = schema;
    // Generated clients have a class for each object, which cannot be a default.
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      schema.description = `${description}${description === "" ? "" : ". "}Default: \`${JSON.stringify(value)}\``;
      delete schema.default;
    }
    if (io === "output" && !this.isWhole && schema.additionalProperties === false) delete schema.additionalProperties;
  }
}
