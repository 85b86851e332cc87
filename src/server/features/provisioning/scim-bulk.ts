import { isObject } from "./scim-attributes";
import { badRequest, ScimError } from "./scim-error";

const BULK_RESPONSE_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:BulkResponse";
/** Operations run one after the other, in the time of one request. */
export const MAX_OPERATIONS = 200;
export const MAX_BULK_BYTES = 1024 * 1024;
const MAX_DEPTH = 20;
const MAX_ID_CHARS = 200;
const REFERENCE = /^bulkId:([^/]+)$/;
const PATH = /^\/(Users|Groups)(?:\/([^/?#]+))?$/;
const METHODS = ["POST", "PUT", "PATCH", "DELETE"];

interface BulkOperation {
  method: string;
  path: string;
  bulkId: string | null;
  version: string | null;
  data: unknown;
  /** The `bulkId`s that the path and the data refer to. */
  references: readonly string[];
}

/** An operation whose references are replaced by ids. */
export interface ResolvedOperation {
  method: string;
  kind: string;
  id: string | undefined;
  version: string | null;
  data: unknown;
}

export interface OperationAnswer {
  status: number;
  body: object | null;
}

/** @param run answers an operation, also one that fails @throws ScimError for a request that is no bulk request */
export async function answerBulk(
  body: unknown,
  base: string,
  run: (operation: ResolvedOperation) => Promise<OperationAnswer>,
  refuse: (error: unknown) => OperationAnswer,
): Promise<object> {
  const { operations, failOnErrors } = readRequest(body);
  const created = new Map<string, string>();
  const owners = new Map(operations.map((operation) => [operation.bulkId, operation]));
  const answers = new Map<BulkOperation, object>();
  let errors = 0;

  async function answer(operation: BulkOperation, work: () => Promise<OperationAnswer>): Promise<void> {
    const { method, bulkId, path } = operation;
    const { status, body: answered } = await work().catch(refuse);
    const { id, location, version } = readMeta(answered);
    const isError = status >= 400;
    if (isError) errors += 1;
    if (bulkId !== null && id !== undefined && method === "POST") created.set(bulkId, id);
    const known = REFERENCE.test(path.split("/")[2] ?? "") ? undefined : `${base}${path}`;
    const at = location ?? (method === "POST" ? undefined : known);
    answers.set(operation, {
      ...(at !== undefined && { location: at }),
      method,
      ...(bulkId !== null && { bulkId }),
      ...(version !== undefined && { version }),
      status: String(status),
      ...(isError && { response: answered }),
    });
  }

  const mayGoOn = (): boolean => failOnErrors === null || errors < failOnErrors;
  let waiting = operations;
  while (waiting.length > 0 && mayGoOn()) {
    const later: BulkOperation[] = [];
    for (const operation of waiting) {
      if (!mayGoOn()) break;
      const missing = operation.references.filter((id) => !created.has(id));
      const isComing = (id: string): boolean => {
        const owner = owners.get(id);
        return owner !== undefined && owner !== operation && !answers.has(owner);
      };
      if (missing.length > 0 && missing.every(isComing)) later.push(operation);
      else if (missing.length > 0) await answer(operation, async () => refuse(unresolved(missing[0] ?? "")));
      else await answer(operation, () => run(resolve(operation, created)));
    }
    // None of them could run: they refer to each other.
    if (later.length === waiting.length) {
      for (const operation of later) {
        if (mayGoOn()) await answer(operation, async () => refuse(unresolved(operation.references[0] ?? "")));
      }
      break;
    }
    waiting = later;
  }
  const done = operations.map((operation) => answers.get(operation)).filter((each) => each !== undefined);
  return { schemas: [BULK_RESPONSE_SCHEMA], Operations: done };
}

const unresolved = (id: string): ScimError =>
  new ScimError(409, `bulkId:${id.slice(0, 100)} names no resource that this request creates`, "invalidValue");

function readRequest(body: unknown): { operations: BulkOperation[]; failOnErrors: number | null } {
  if (!isObject(body) || !Array.isArray(body.Operations)) {
    throw badRequest("invalidSyntax", "A bulk request has a list 'Operations'");
  }
  if (body.Operations.length > MAX_OPERATIONS) {
    throw new ScimError(413, `A bulk request may have ${MAX_OPERATIONS} operations: send the others in another one`);
  }
  const { failOnErrors = null } = body;
  const isCount = typeof failOnErrors === "number" && Number.isInteger(failOnErrors) && failOnErrors > 0;
  if (failOnErrors !== null && !isCount)
    throw badRequest("invalidValue", "failOnErrors: must be a whole number from 1");
  const operations = body.Operations.map(readOperation);
  const ids = operations.flatMap(({ bulkId }) => bulkId ?? []);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) throw badRequest("invalidValue", `bulkId: '${twice.slice(0, 100)}' is used twice`);
  return { operations, failOnErrors: isCount ? (failOnErrors as number) : null };
}

function readOperation(sent: unknown, index: number): BulkOperation {
  const at = `Operations[${index}]`;
  if (!isObject(sent)) throw badRequest("invalidSyntax", `${at} must be an object`);
  const { method, path, bulkId = null, version = null, data = null } = sent;
  const name = typeof method === "string" ? method.toUpperCase() : "";
  if (!METHODS.includes(name)) throw badRequest("invalidValue", `${at}.method must be one of ${METHODS.join(", ")}`);
  const [, , id] = (typeof path === "string" && PATH.exec(path)) || [];
  if (typeof path !== "string" || !PATH.test(path) || (name === "POST") === (id !== undefined)) {
    const form = name === "POST" ? "/Users or /Groups" : "/Users/<id> or /Groups/<id>";
    throw badRequest("invalidValue", `${at}.path must be ${form} for ${name}`);
  }
  if (name === "POST" && (typeof bulkId !== "string" || bulkId === "")) {
    throw badRequest("invalidValue", `${at}.bulkId is required for POST`);
  }
  for (const [field, value] of Object.entries({ bulkId, version })) {
    if (value === null || (typeof value === "string" && value.length <= MAX_ID_CHARS)) continue;
    throw badRequest("invalidValue", `${at}.${field} must be a text of at most ${MAX_ID_CHARS} characters`);
  }
  assertShallow(data, at);
  return {
    method: name,
    path,
    bulkId: bulkId as string | null,
    version: version as string | null,
    data,
    references: listReferences(path, data),
  };
}

function assertShallow(value: unknown, at: string, depth = 0): void {
  if (depth > MAX_DEPTH) throw badRequest("invalidSyntax", `${at}.data is nested too deeply`);
  if (typeof value !== "object" || value === null) return;
  for (const each of Object.values(value)) assertShallow(each, at, depth + 1);
}

function listReferences(path: string, data: unknown): string[] {
  const found = new Set<string>();
  replaceTexts([path.split("/")[2], data], (text) => {
    const id = REFERENCE.exec(text)?.[1];
    if (id !== undefined) found.add(id);
    return text;
  });
  return [...found];
}

function resolve({ method, path, version, data }: BulkOperation, created: ReadonlyMap<string, string>) {
  const toId = (text: string): string => created.get(REFERENCE.exec(text)?.[1] ?? "") ?? text;
  const [, kind = "", id] = PATH.exec(path) ?? [];
  return {
    method,
    kind,
    id: id === undefined ? undefined : toId(decode(id)),
    version,
    data: replaceTexts(data, toId),
  };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** A copy with other texts; its depth was checked. */
function replaceTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((each) => replaceTexts(each, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, replaceTexts(each, change)]));
}

function readMeta(body: object | null): { id?: string; location?: string; version?: string } {
  const { id, meta = {} } = (body ?? {}) as { id?: string; meta?: { location?: string; version?: string } };
  return { ...(id !== undefined && { id }), ...meta };
}
