import { type RequestOrigin, UNKNOWN_ACTOR } from "../../../lib/contract/audit";
import type { Logger } from "../../engine/ports";
import { HTTP_STATUS, isAppError, retryHeaders } from "../../platform/shared/app-error";
import type { AuditLog } from "../audit/audit-log";
import type { ProvisioningService } from "./provisioning-service";
import type { ProvisioningSettings } from "./provisioning-settings";
import type { GroupFilter, ProvisionedGroup, ProvisionedUser, Slice, UserFilter } from "./provisioning-store";
import {
  type Attributes,
  checkAttributes,
  GROUP_FORM,
  groupAttributesSchema,
  readAttributes,
  USER_FORM,
  userAttributesSchema,
} from "./scim-attributes";
import { answerBulk, MAX_BULK_BYTES } from "./scim-bulk";
import { describeProvider, ERROR_SCHEMA, MAX_RESULTS, toList } from "./scim-discovery";
import { badRequest, ScimError } from "./scim-error";
import { type Condition, parseFilter } from "./scim-filter";
import { applyPatch } from "./scim-patch";
import { readGroupVersion, readUserVersion, toGroupResource, toUserResource } from "./scim-resources";
import { assertVersion, isKnownVersion, type Preconditions } from "./scim-version";

const ROOT = "/scim/v2/";
const CONTENT_TYPE = "application/scim+json";
/** A group of 20,000 members. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const BEARER = /^Bearer +([\x21-\x7e]{1,500})$/i;

export interface ScimPorts {
  /** Null while accounts are off. */
  provisioning: ProvisioningService | null;
  settings: Pick<ProvisioningSettings, "isToken" | "noteRequest">;
  audit: Pick<AuditLog, "record">;
  /** Counts the request, of an address or of the provider. @throws AppError for too many */
  admit(isKnown: boolean, headers: Headers): void;
  readOrigin(headers: Headers): RequestOrigin;
  /** The server's public URL without a slash at the end; null where the request gives it. */
  publicUrl: string | null;
  /** Adds the server's base to one of its paths. */
  toAddress(path: string): string;
  logger: Pick<Logger, "error">;
}

type Provisioning = ProvisioningService;

/** A request with a valid token. */
interface Call {
  method: string;
  kind: string;
  id: string | undefined;
  query: URLSearchParams;
  /** The base address of `/scim/v2`. */
  base: string;
  origin: RequestOrigin;
  preconditions: Preconditions;
  readBody(): Promise<unknown>;
}

interface Answer {
  status: number;
  body: object | null;
  headers?: Record<string, string>;
}

/** Answers an identity provider that provisions users and groups (SCIM 2.0, RFC 7644) at `/scim/v2`. */
export function createScimEndpoint(ports: ScimPorts): (request: Request) => Promise<Response> {
  const { provisioning, settings, audit } = ports;

  async function assertToken(request: Request, origin: RequestOrigin): Promise<void> {
    const sent = BEARER.exec(request.headers.get("authorization") ?? "")?.[1];
    const isKnown = sent !== undefined && (await settings.isToken(sent));
    ports.admit(isKnown, request.headers);
    if (isKnown) return;
    if (sent !== undefined) {
      const error = "The token of a SCIM request is not the one of Settings → People";
      const by = { ...UNKNOWN_ACTOR, token: null, origin };
      await audit
        .record({ by, action: "token.refused", target: null, outcome: "denied", error })
        .catch(() => undefined);
    }
    throw new ScimError(401, "Send the SCIM token of Settings → People as 'Authorization: Bearer <token>'");
  }

  async function answer(request: Request, url: URL): Promise<Answer> {
    if (provisioning === null) throw new ScimError(404, "Accounts are switched off on this server");
    const origin = ports.readOrigin(request.headers);
    await assertToken(request, origin);
    const at = url.pathname.indexOf(ROOT);
    const [kind = "", id, ...rest] = at < 0 ? [] : url.pathname.slice(at + ROOT.length).split("/");
    if (rest.length > 0) throw new ScimError(404, "There is nothing at this address");
    const own = ports.publicUrl ?? `${url.protocol}//${request.headers.get("host") ?? url.host}`;
    const root = ports.publicUrl === null ? own + ports.toAddress("/scim/v2") : `${own}/scim/v2`;
    const call: Call = {
      method: request.method,
      kind,
      id: id === undefined || id === "" ? undefined : decode(id),
      query: url.searchParams,
      base: root,
      origin,
      preconditions: {
        ifMatch: request.headers.get("if-match"),
        ifNoneMatch: request.headers.get("if-none-match"),
      },
      readBody: () => readBody(request, kind === "Bulk" ? MAX_BULK_BYTES : MAX_BODY_BYTES),
    };
    if (kind === "Users") return answerUsers(provisioning, call);
    if (kind === "Groups") return answerGroups(provisioning, call);
    if (kind === "Bulk" && call.id === undefined) return await answerOperations(provisioning, call, ports.logger);
    const found = describeProvider(kind, call.id, call.base);
    if (found === null) throw new ScimError(404, "There is nothing at this address");
    if (call.method !== "GET") throw notAllowed(call);
    return { status: 200, body: found };
  }

  return async (request) => {
    const url = new URL(request.url);
    const { status, body, headers } = await answer(request, url).catch((error: unknown) =>
      toError(error, ports.logger),
    );
    if (status !== 401 && status !== 429) {
      settings.noteRequest({ method: request.method, path: url.pathname.slice(0, 200), status });
    }
    const sent = { "cache-control": "no-store", "content-type": CONTENT_TYPE, ...headers };
    return new Response(body === null ? null : JSON.stringify(body), { status, headers: sent });
  };
}

/** The operations of a bulk request (RFC 7644, section 3.7), each as a request of its own. */
async function answerOperations(provisioning: Provisioning, call: Call, logger: ScimPorts["logger"]): Promise<Answer> {
  if (call.method !== "POST") throw notAllowed(call);
  const body = await answerBulk(
    await call.readBody(),
    call.base,
    ({ method, kind, id, version, data }) => {
      const each: Call = {
        ...call,
        method,
        kind,
        id,
        query: new URLSearchParams(),
        preconditions: { ifMatch: version, ifNoneMatch: null },
        readBody: async () => data,
      };
      return kind === "Users" ? answerUsers(provisioning, each) : answerGroups(provisioning, each);
    },
    (error) => toError(error, logger),
  );
  return { status: 200, body };
}

function toError(error: unknown, logger: Pick<Logger, "error">): Answer {
  const refuse = (status: number, detail: string, scimType: string | null = null, headers = {}): Answer => ({
    status,
    body: { schemas: [ERROR_SCHEMA], status: String(status), ...(scimType !== null && { scimType }), detail },
    headers,
  });
  if (error instanceof ScimError) {
    const challenge = error.status === 401 ? { "www-authenticate": 'Bearer realm="SCIM"' } : {};
    return refuse(error.status, error.message, error.type, challenge);
  }
  if (isAppError(error)) return refuse(HTTP_STATUS[error.code], error.message, null, retryHeaders(error));
  logger.error({ err: error }, "A SCIM request failed");
  return refuse(500, "The request could not be answered. The log of the server has the reason");
}

const notAllowed = ({ method, kind }: Call): ScimError => new ScimError(405, `${kind} does not take ${method}`);

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** @throws ScimError for a body that is too large, or no JSON */
async function readBody(request: Request, maxBytes: number): Promise<unknown> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/(?:scim\+)?json\s*(?:;|$)/i.test(type)) {
    throw new ScimError(415, `The body must be JSON, with content-type: ${CONTENT_TYPE}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new ScimError(413, `The body may have ${maxBytes} bytes`, "tooMany");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw badRequest("invalidSyntax", "The body is no JSON");
  }
}

/** `startIndex` counts from 1. Values that make no sense are those nearest to them, as RFC 7644 says. */
function readSlice(query: URLSearchParams): Slice & { startIndex: number } {
  const read = (name: string, absent: number, most: number): number => {
    const sent = query.get(name);
    const value = sent === null || sent.trim() === "" ? absent : Number(sent);
    if (!Number.isInteger(value)) throw badRequest("invalidValue", `${name}: must be a whole number`);
    return Math.min(value, most);
  };
  const startIndex = Math.max(1, read("startIndex", 1, 10_000_000));
  return { startIndex, skip: startIndex - 1, take: Math.max(0, read("count", 100, MAX_RESULTS)) };
}

/** The fields of a filter by the names of attributes; in lower case where the database has them so. */
function readFilter<Filter>(
  query: URLSearchParams,
  fields: Readonly<Record<string, (value: string) => Filter>>,
): Filter | null {
  const text = query.get("filter");
  const conditions: Condition[] = text === null || text.trim() === "" ? [] : parseFilter(text);
  const parts = conditions.map(({ attribute, value }) => {
    const name = Object.keys(fields).find((each) => each.toLowerCase() === attribute.toLowerCase());
    const toField = name === undefined ? undefined : fields[name];
    if (toField === undefined || typeof value !== "string") {
      throw badRequest("invalidFilter", `Filters know ${Object.keys(fields).join(", ")}`);
    }
    return toField(value);
  });
  return parts.length === 0 ? null : (Object.assign({}, ...parts) as Filter);
}

const USER_FIELDS: Readonly<Record<string, (value: string) => UserFilter>> = {
  userName: (value) => ({ nameKey: value.toLowerCase() }),
  externalId: (externalId) => ({ externalId }),
  displayName: (name) => ({ name }),
  emails: (value) => ({ email: value.toLowerCase() }),
  "emails.value": (value) => ({ email: value.toLowerCase() }),
  id: (id) => ({ id }),
};

const GROUP_FIELDS: Readonly<Record<string, (value: string) => GroupFilter>> = {
  displayName: (value) => ({ nameKey: value.toLowerCase() }),
  externalId: (externalId) => ({ externalId }),
  id: (id) => ({ id }),
  members: (memberId) => ({ memberId }),
  "members.value": (memberId) => ({ memberId }),
};

/** Whether a request leaves the members of groups out, as Entra does. */
function excludesMembers(query: URLSearchParams): boolean {
  const names = (list: string | null): string[] =>
    (list ?? "")
      .toLowerCase()
      .split(/[\s,]+/)
      .filter(Boolean);
  const wanted = names(query.get("attributes"));
  if (names(query.get("excludedAttributes")).includes("members")) return true;
  return wanted.length > 0 && !wanted.some((name) => name.startsWith("members"));
}

function toAnswer(body: object, location: string, version: string | undefined, status: number): Answer {
  const headers = { ...(version !== undefined && { etag: version }), ...(status === 201 && { location }) };
  return { status, body, headers };
}

/** An empty answer for a reader that has the version already. */
function withoutKnown(answer: Answer, preconditions: Preconditions): Answer {
  const { etag } = answer.headers ?? {};
  if (etag === undefined || !isKnownVersion(preconditions, etag)) return answer;
  return { status: 304, body: null, headers: { etag } };
}

async function answerUsers(provisioning: Provisioning, call: Call): Promise<Answer> {
  const { method, id, base, origin, query, preconditions } = call;
  const show = (user: ProvisionedUser, status = 200): Answer => {
    const body = toUserResource(user, base);
    return toAnswer(body, body.meta.location, body.meta.version, status);
  };
  const check = (before: ProvisionedUser): void => assertVersion(preconditions, readUserVersion(before));
  const readUser = (attributes: Attributes) => checkAttributes(userAttributesSchema, attributes);
  if (id === undefined) {
    if (method === "POST") {
      return show(
        await provisioning.createUser(readUser(readAttributes(USER_FORM, await call.readBody())), origin),
        201,
      );
    }
    if (method !== "GET") throw notAllowed(call);
    const { startIndex, ...slice } = readSlice(query);
    const { total, users } = await provisioning.listUsers(readFilter(query, USER_FIELDS) ?? {}, slice);
    return {
      status: 200,
      body: toList(
        users.map((user) => toUserResource(user, base)),
        total,
        startIndex,
      ),
    };
  }
  switch (method) {
    case "GET":
      return withoutKnown(show(await provisioning.getUser(id)), preconditions);
    case "PUT": {
      const attributes = readUser(readAttributes(USER_FORM, await call.readBody()));
      return show(await provisioning.updateUser(id, () => attributes, origin, check));
    }
    case "PATCH": {
      const body = await call.readBody();
      const change = (before: object) => readUser(applyPatch(USER_FORM, before as Attributes, body));
      return show(await provisioning.updateUser(id, change, origin, check));
    }
    case "DELETE":
      await provisioning.removeUser(id, origin, check);
      return { status: 204, body: null };
    default:
      throw notAllowed(call);
  }
}

async function answerGroups(provisioning: Provisioning, call: Call): Promise<Answer> {
  const { method, id, base, origin, query, preconditions } = call;
  const isBrief = excludesMembers(query);
  const show = (group: ProvisionedGroup, status = 200): Answer => {
    const body = toGroupResource(group, base, isBrief);
    return toAnswer(body, body.meta.location, body.meta.version, status);
  };
  const check = (before: ProvisionedGroup): void => assertVersion(preconditions, readGroupVersion(before));
  const readGroup = (attributes: Attributes) => checkAttributes(groupAttributesSchema, attributes);
  if (id === undefined) {
    if (method === "POST") {
      const attributes = readGroup(readAttributes(GROUP_FORM, await call.readBody()));
      return show(await provisioning.createGroup(attributes, origin), 201);
    }
    if (method !== "GET") throw notAllowed(call);
    const { startIndex, ...slice } = readSlice(query);
    const asked = { ...slice, members: !isBrief };
    const { total, groups } = await provisioning.listGroups(readFilter(query, GROUP_FIELDS) ?? {}, asked);
    return {
      status: 200,
      body: toList(
        groups.map((group) => toGroupResource(group, base, isBrief)),
        total,
        startIndex,
      ),
    };
  }
  switch (method) {
    case "GET":
      return withoutKnown(show(await provisioning.getGroup(id)), preconditions);
    case "PUT": {
      const attributes = readGroup(readAttributes(GROUP_FORM, await call.readBody()));
      return show(await provisioning.updateGroup(id, () => attributes, origin, check));
    }
    case "PATCH": {
      const body = await call.readBody();
      const change = (before: object) => readGroup(applyPatch(GROUP_FORM, before as Attributes, body));
      return show(await provisioning.updateGroup(id, change, origin, check));
    }
    case "DELETE":
      await provisioning.removeGroup(id, origin, check);
      return { status: 204, body: null };
    default:
      throw notAllowed(call);
  }
}
