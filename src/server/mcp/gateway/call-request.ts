import { ProtocolError, ProtocolErrorCode, type Result } from "@modelcontextprotocol/server";
import type { FailureEnvelope } from "../../../lib/contract/envelope";
import { readClientName } from "../../../lib/read-client-name";
import type { CallArguments } from "../../engine/executor/call-arguments";
import { inCallersNames } from "../../engine/executor/output-limits";
import type { ExecuteOptions } from "../../engine/executor/tool-executor";
import { relayedError } from "./relayed-error";
import type { TaskPeer } from "./tasks/task-channel";

/** One `tools/call` of any protocol version. */
export interface CallRequest {
  name: string;
  args: CallArguments;
  /** The part of `_meta` that is passed on to the server of the tool. */
  meta: Record<string, unknown> | undefined;
  /** The caller wants the whole result, whatever the tool's lens. */
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
  /** It reads a recorded resource or prompt. */
  content?: "resource" | "prompt" | undefined;
  /** Executes it where it is no call of a tool. */
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

/** `claude-code/1.2.3` from what a client says of itself: printable, short, null where it says nothing. */
export function clientLabel(info: unknown): string | null {
  const { name, version } = readClientName(info);
  const said = [name, version].filter((part) => part !== "");
  return said.length === 0 ? null : said.join("/");
}
