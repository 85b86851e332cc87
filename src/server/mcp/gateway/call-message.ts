import { ProtocolError, ProtocolErrorCode, type Result, SERVER_INFO_META_KEY } from "@modelcontextprotocol/server";
import type { ToolCallResult } from "../../../lib/contract/content";
import type { ExecutionEnvelope, FailureEnvelope } from "../../../lib/contract/envelope";
import { isPlainObject } from "../../../lib/contract/json";
import { WHOLE_RESULT_KEY } from "../../../lib/contract/lens";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { toJsonText, withMembers } from "../../../lib/json/known-text";
import { readClientName } from "../../../lib/read-client-name";
import type { CallArguments } from "../../engine/executor/call-arguments";
import { failureText, inCallersNames } from "../../engine/executor/output-limits";
import type { ExecuteOptions } from "../../engine/executor/tool-executor";
import { describeReadResult } from "../../engine/lens/read-result";
import { OPERATION_KEY } from "../../platform/telemetry/operation-key";
import { relayedError } from "./relayed-error";
import type { TaskPeer } from "./tasks/task-channel";

/** One `tools/call` of any protocol version. */
export interface CallRequest {
  name: string;
  args: CallArguments;
  /** The part of `_meta` that is passed on to the server of the tool. */
  meta: Record<string, unknown> | undefined;
  /** The caller wants the whole result, regardless of the tool's lens. */
  whole: boolean;
  protocol: string;
  clientInfo: unknown;
  clientCapabilities: unknown;
  /** Null in the stateless protocol. */
  sessionId: string | null;
  /** Whether the client requested log lines. */
  logs: boolean;
  stateless: boolean;
  /** The client of a session wants the call as a task. */
  task?: { ttlMs: number | null; peer: TaskPeer } | undefined;
  /** Set where it reads a recorded resource or prompt. */
  content?: "resource" | "prompt" | undefined;
  /** Executes a request that is not a call of a tool. */
  perform?: (options: ExecuteOptions) => Promise<Result>;
}

/** A failure that the protocol answers with an error; null for one that is a result. */
export function protocolErrorFor(
  envelope: FailureEnvelope,
  request: Pick<CallRequest, "name" | "protocol">,
  name: string,
): ProtocolError | null {
  const { error, error_kind, protocol_error: sent } = envelope;
  if (error_kind === "not_found") return notFound(request, inCallersNames(error, name, request.name));
  return sent === undefined ? null : relayedError(sent, request.protocol);
}

export function notFound({ name }: Pick<CallRequest, "name">, error = `Tool '${name}' not found`): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, error);
}

/** The labels of clients by their descriptions, which a session keeps for all its calls. */
const labels = new WeakMap<object, string | null>();

/** `claude-code/1.2.3` from a client's description: printable, short, null without one. */
export function clientLabel(info: unknown): string | null {
  const known = isPlainObject(info) ? labels.get(info) : null;
  if (known !== undefined) return known;
  const { name, version } = readClientName(info);
  const label = [name, version].filter(Boolean).join("/") || null;
  labels.set(info as object, label);
  return label;
}

/** The protocol's own keys describe the connection between client and gateway. */
const PROTOCOL_KEYS = "io.modelcontextprotocol/";
const OWN_KEYS: ReadonlySet<string> = new Set(["progressToken", WHOLE_RESULT_KEY, OPERATION_KEY]);

/**
 * What of a call's `_meta` is for the server that runs the tool: trace context and the caller's own keys. The progress
 * token names a request of this connection; the connection to the server has its own.
 */
export function upstreamMeta(meta: unknown): Record<string, unknown> | undefined {
  if (!isPlainObject(meta)) return undefined;
  const kept = Object.entries(meta).filter(([key]) => !OWN_KEYS.has(key) && !key.startsWith(PROTOCOL_KEYS));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/**
 * A server's result without the identity of that server: the key names the program that answers, which is the gateway. In
 * the stateless protocol the identity of the address is added, in the earlier revisions none.
 */
export function withoutServerInfo<T extends Result>(result: T): T {
  const { _meta: meta } = result;
  if (!isPlainObject(meta) || !Object.hasOwn(meta, SERVER_INFO_META_KEY)) return result;
  const { [SERVER_INFO_META_KEY]: _, ...kept } = meta;
  return withMembers(result, { _meta: Object.keys(kept).length === 0 ? undefined : kept });
}

/**
 * An execution as the answer to `tools/call`. The result of an MCP tool is passed on unchanged; other tools answer with text,
 * and `structuredContent` where it has promised some. Failures are results with `isError`, so that a model reads them.
 * @param calledAs the name that the caller used
 */
export function toCallResult(
  envelope: ExecutionEnvelope,
  definition: ToolDefinition | undefined,
  calledAs: string,
): ToolCallResult {
  const fromServer = definition?.implementation.type === "mcp";
  if (envelope.success) {
    const { result } = envelope.projected ?? envelope;
    return fromServer ? wholeAnswer(result) : ownAnswer(result, definition);
  }
  if (fromServer && isAnswer(envelope.result)) {
    return envelope.result.isError === true ? envelope.result : withMembers(envelope.result, { isError: true });
  }
  const failure = inCallersNames(failureText(envelope), envelope.tool_name, calledAs);
  const answer: ToolCallResult = { content: [{ type: "text", text: failure }], isError: true };
  const meta = toRetryMeta(envelope);
  return meta === null ? answer : { ...answer, _meta: meta };
}

/**
 * The key in `_meta` of a call that a limit denied, and in `data` of an error, for the milliseconds until there is room
 * again.
 */
const RETRY_AFTER_KEY = "toolroom/retry-after-ms";

/** Null for a call that can be repeated at once, or not at all. */
export function toRetryMeta({ retry_after_ms: ms }: FailureEnvelope): Record<string, number> | null {
  return ms === undefined ? null : { [RETRY_AFTER_KEY]: ms };
}

/** Tells the model how to read the parts that a lens left out. */
export function withReadNote(result: ToolCallResult, envelope: ExecutionEnvelope): ToolCallResult {
  if (!envelope.success || envelope.projected === undefined) return result;
  const note = { type: "text", text: describeReadResult(envelope.execution_id) };
  return withMembers(result, { content: [...result.content, note] });
}

function isAnswer(result: unknown): result is ToolCallResult {
  return isPlainObject(result) && Array.isArray(result.content);
}

function wholeAnswer(result: unknown): ToolCallResult {
  return isAnswer(result) ? result : { content: [{ type: "text", text: formatText(result) }] };
}

function ownAnswer(result: unknown, definition: ToolDefinition | undefined): ToolCallResult {
  const answer: ToolCallResult = { content: [{ type: "text", text: formatText(result) }] };
  if (definition?.outputSchema !== undefined && isPlainObject(result)) answer.structuredContent = result;
  return answer;
}

function formatText(result: unknown): string {
  return typeof result === "string" ? result : (toJsonText(result) ?? "null");
}
