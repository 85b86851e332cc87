import { isPlainObject } from "../../../../lib/contract/json";
import { withMembers } from "../../../../lib/json/known-text";
import { inheritDigits } from "../../../../lib/json/number-digits";
import { INLINE_CHARS } from "../../../../lib/parse-in-slices";
import { parseMessage, withoutByteOrderMark } from "../../fast-path/parse-message";
import { ResponseLostError } from "../session/connection-error";
import { isLooseMessage, type LooseMessage, type MessageId } from "./json-rpc";

/** Methods that a server may send; JSON log lines without `jsonrpc` have other ones. */
const SERVER_METHODS = /^(?:notifications\/|sampling\/|elicitation\/|roots\/|ping$)/;
/** Keywords and members that hold values of tools or users, where null is a value. */
const VALUE_KEYS: ReadonlySet<string> = new Set([
  "default",
  "enum",
  "const",
  "examples",
  "arguments",
  "input",
  "structuredContent",
  "data",
  "metadata",
]);
/** Members that are passed on as they are: those of vendors, and of the server's own data. */
const isOpaque = (key: string): boolean => key === "_meta" || key === "execution" || /^x-|\//.test(key);
/** Schemas by name: null in place of one, or of all, is not a schema, which the tool's problems report. */
const SCHEMA_MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions"]);
const MAX_LEVELS = 32;
/** Every message in order has it, in this form or with spaces. */
const VERSION = /"jsonrpc"\s*:\s*"2\.0"/;
const NULL_MEMBER = /:\s*null/;

/**
 * A message as the protocol writes it: `null` counts as absent where a member is optional, and a missing version is
 * added. Returns the same object where the message is in order, or is not one.
 */
export function normalizeMessage(value: unknown): unknown {
  if (!isPlainObject(value) || isInOrder(value)) return value;
  const { jsonrpc, id, method, params, result, error, ...rest } = value;
  const isRequest = method !== undefined && method !== null;
  if (!hasVersion(value, isRequest)) return value;
  const message: Record<string, unknown> = { ...rest, jsonrpc: "2.0" };
  // A response keeps an id of null: it belongs to the only request that waits.
  if (id !== undefined && !(isRequest && id === null)) message.id = id;
  else if (!isRequest) message.id = null;
  if (isRequest) {
    message.method = method;
    if (params !== undefined && params !== null) {
      message.params = id === undefined ? withoutNullMeta(params) : dropNulls(params);
    }
    return message;
  }
  const isError = error !== undefined && error !== null;
  if (isError) message.error = error;
  else if ("result" in value) message.result = withoutNullMeta(result);
  return isLooseMessage(message) ? message : value;
}

function isInOrder({ jsonrpc, id, method, params, result, error }: Record<string, unknown>): boolean {
  if (jsonrpc !== "2.0") return false;
  // Toolroom itself reads notifications, and checks each member.
  if (method !== undefined) return method !== null && id === undefined && params !== null && !hasNullMeta(params);
  if (id === undefined || hasNullMeta(result)) return false;
  return error === undefined ? result !== undefined : error !== null && result === undefined;
}

const hasNullMeta = (value: unknown): boolean => isPlainObject(value) && value._meta === null;

const withoutNullMeta = (value: unknown): unknown =>
  isPlainObject(value) && value._meta === null ? withMembers(value, { _meta: undefined }) : value;

function hasVersion({ jsonrpc, id, method, result, error }: Record<string, unknown>, isRequest: boolean): boolean {
  if (jsonrpc === "2.0") return true;
  if (jsonrpc !== undefined && jsonrpc !== null && jsonrpc !== 2 && jsonrpc !== "2") return false;
  if (isRequest) return typeof method === "string" && SERVER_METHODS.test(method);
  return (typeof id === "number" || typeof id === "string") && (isPlainObject(result) || isPlainObject(error));
}

/**
 * The value without members that are null, except where null is a value. Returns the same object where there are none.
 * @param isMap the members are schemas by name
 */
export function dropNulls<Value>(value: Value, level = 0, isMap = false): Value {
  if (typeof value !== "object" || value === null || level > MAX_LEVELS) return value;
  if (Array.isArray(value)) {
    const cleaned = value.map((each) => dropNulls(each, level + 1));
    return (cleaned.some((each, index) => each !== value[index]) ? inheritDigits(value, cleaned) : value) as Value;
  }
  let isChanged = false;
  const kept: [string, unknown][] = [];
  for (const [key, member] of Object.entries(value)) {
    const isWhole = !isMap && (VALUE_KEYS.has(key) || isOpaque(key));
    const cleaned = isWhole ? member : dropNulls(member, level + 1, !isMap && SCHEMA_MAPS.has(key));
    if (cleaned !== member) isChanged = true;
    const mayBeNull = isMap || VALUE_KEYS.has(key) || SCHEMA_MAPS.has(key);
    if (cleaned !== null || mayBeNull) kept.push([key, cleaned]);
    else isChanged = true;
  }
  return (isChanged ? inheritDigits(value, Object.fromEntries(kept)) : value) as Value;
}

/** The response on the stream of one request: one without an id, or with the id in another type, belongs to it. */
export function adoptResponse(value: unknown, requestId: MessageId): unknown {
  const message = normalizeMessage(value);
  if (!isLooseMessage(message) || message.method !== undefined || message.id === requestId) return message;
  const isOwn = message.id === null || String(message.id) === String(requestId);
  return isOwn ? { ...message, id: requestId } : message;
}

/**
 * The messages of a whole HTTP body that answers one request.
 * @throws ResponseLostError where none of them is its response
 */
export function adoptBody(value: unknown, requestId: MessageId): unknown {
  const messages = (Array.isArray(value) ? value : [value]).map((each) => adoptResponse(each, requestId));
  const responses = messages.filter(isLooseMessage).filter(({ method }) => method === undefined);
  if (messages.every(isLooseMessage) && !responses.some(({ id }) => id === requestId)) {
    const [other] = responses;
    const fault =
      other === undefined ? "holds no response" : `has the id ${JSON.stringify(other.id)}, not that of the request`;
    throw new ResponseLostError(`its answer ${fault}`);
  }
  return Array.isArray(value) ? messages : messages[0];
}

/** The text of a message as the protocol writes it; the same text where it is in order, or is no message. */
export function normalizeText(text: string, requestId?: MessageId): string {
  if (text.length > INLINE_CHARS) return text;
  const plain = withoutByteOrderMark(text);
  if (VERSION.test(plain) && !NULL_MEMBER.test(plain)) return plain;
  try {
    const value: unknown = JSON.parse(plain);
    const read = (each: unknown) => (requestId === undefined ? normalizeMessage(each) : adoptResponse(each, requestId));
    const message = Array.isArray(value) ? value.map(read) : read(value);
    return message === value ? plain : JSON.stringify(message);
  } catch {
    return plain;
  }
}

/** The JSON-RPC error in the body of a refused HTTP request, or in a stream of events; null where there is none. */
export function readRefusal(body: string, requestId: MessageId): LooseMessage | null {
  const data = /^(?:event:.*\r?\n)?data:\s*(\{.*)$/m.exec(body.length > INLINE_CHARS ? "" : body)?.[1];
  const text = withoutByteOrderMark((data ?? body).trim());
  if (!text.startsWith("{") && !text.startsWith("[")) return null;
  if (text.length > INLINE_CHARS) return null;
  try {
    const value = parseMessage(text);
    const [only] = Array.isArray(value) ? value : [value];
    const message = normalizeMessage(only);
    if (!isLooseMessage(message) || message.method !== undefined || !isPlainObject(message.error)) return null;
    const { id } = message;
    return id === null || id === undefined || String(id) === String(requestId) ? message : null;
  } catch {
    return null;
  }
}
