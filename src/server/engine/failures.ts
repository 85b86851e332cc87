import { type ErrorKind, errorKindSchema, type ProtocolErrorBody } from "../../lib/contract/envelope";
import { stripControlCharacters } from "../../lib/strip-control-characters";
import { cutAtChars } from "./executor/output-limits";

/** A failure that the engine itself names; its message is for users and models. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  constructor(
    readonly kind: ErrorKind,
    message: string,
    /** For an MCP server that answered with an error of the protocol. */
    readonly protocolError?: ProtocolErrorBody,
  ) {
    super(message);
  }
}

/** Give this as the reason of an abort when the server ends, so that the call is recorded as interrupted. */
export class ServerStopping extends Error {
  override readonly name = "ServerStopping";
  constructor() {
    super("the server stopped");
  }
}

/**
 * Give this as the reason of an abort when the caller merely no longer listens: a call that waits for approval stays in
 * the inbox. One that runs is cancelled.
 */
export class CallerLeft extends Error {
  override readonly name = "CallerLeft";
  constructor() {
    super("the caller disconnected");
  }
}

/** Compares the name instead of the class: bundles of one process each have their own copy of a class. */
export const isServerStopping = (reason: unknown): boolean => getName(reason) === "ServerStopping";

export const isCallerLeft = (reason: unknown): boolean => getName(reason) === "CallerLeft";

function getName(reason: unknown): unknown {
  return typeof reason === "object" && reason !== null ? (reason as { name?: unknown }).name : undefined;
}

export interface DescribedFailure {
  kind: ErrorKind;
  message: string;
  protocolError?: ProtocolErrorBody | undefined;
  /** Whether the failure was expected, such as of an outside service: our own stack does not help then. */
  expected: boolean;
}

/** Turns any error of a tool into a kind and a sentence without stack. Never throws itself. */
export function describeThrown(thrown: unknown): DescribedFailure {
  try {
    return describeFailure(thrown);
  } catch {
    // A getter of the thrown value threw in turn.
    return { kind: "tool_error", message: NO_MESSAGE, expected: false };
  }
}

function describeFailure(thrown: unknown): DescribedFailure {
  const unavailable = describeUnavailable(thrown);
  if (unavailable !== null) return { kind: "unavailable", message: unavailable, expected: true };
  // Compares the name instead of the class: bundles of one process each have their own copy of a class.
  if (thrown instanceof Error && thrown.name === "ToolFailure" && "kind" in thrown) {
    const kind = errorKindSchema.safeParse(thrown.kind);
    const { protocolError } = thrown as Partial<ToolFailure>;
    return {
      kind: kind.success ? kind.data : "tool_error",
      message: readableMessage(thrown),
      protocolError,
      expected: true,
    };
  }
  return { kind: "tool_error", message: readableMessage(thrown), expected: false };
}

const NO_MESSAGE = "The tool failed without a message";
const MAX_ERROR_CHARS = 10_000;
const STACK_LINES = /(?:\r?\n\s+at .*)+/g;

function readableMessage(thrown: unknown): string {
  let message: unknown;
  try {
    message = typeof thrown === "object" && thrown !== null ? (thrown as { message?: unknown }).message : thrown;
  } catch {
    message = undefined;
  }
  if (typeof message !== "string" && typeof message !== "number") return NO_MESSAGE;
  const withoutStack = stripControlCharacters(String(message)).replace(STACK_LINES, "").trim();
  if (withoutStack === "") return NO_MESSAGE;
  const cut = cutAtChars(withoutStack, MAX_ERROR_CHARS);
  return cut.truncated ? `${cut.text}… [${withoutStack.length - cut.text.length} more characters]` : withoutStack;
}

/** Node's and undici's codes for a peer that cannot be reached or went away, in words. */
const NETWORK_CODES: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "connection refused"],
  ["ECONNRESET", "connection reset"],
  ["ECONNABORTED", "connection aborted"],
  ["EHOSTUNREACH", "host unreachable"],
  ["EHOSTDOWN", "host down"],
  ["ENETUNREACH", "network unreachable"],
  ["ENETDOWN", "network down"],
  ["ENOTFOUND", "host name not found"],
  ["EAI_AGAIN", "host name could not be looked up"],
  ["EPIPE", "connection closed"],
  ["ETIMEDOUT", "connection timed out"],
  ["UND_ERR_CONNECT_TIMEOUT", "connection timed out"],
  ["UND_ERR_HEADERS_TIMEOUT", "no response in time"],
  ["UND_ERR_BODY_TIMEOUT", "response ended early"],
  ["UND_ERR_SOCKET", "connection closed"],
]);

/** ERR-01: a network failure names the service. Looks through `cause`, where fetch keeps the reason. */
function describeUnavailable(thrown: unknown): string | null {
  let current = thrown;
  for (let depth = 0; depth < 5 && typeof current === "object" && current !== null; depth += 1) {
    const error = current as Record<string, unknown>;
    const code = typeof error.code === "string" ? error.code : "";
    const reason = NETWORK_CODES.get(code);
    if (reason !== undefined) return `Service ${serviceName(error, thrown)} is unavailable: ${reason} (${code})`;
    if (Array.isArray(error.errors) && error.errors.length > 0) current = error.errors[0];
    else current = error.cause;
  }
  if (thrown instanceof TypeError && thrown.message === "fetch failed") {
    return "A service this tool depends on is unavailable: fetch failed";
  }
  return null;
}

function serviceName(error: Record<string, unknown>, thrown: unknown): string {
  const socket = error.socket as { remoteAddress?: unknown; remotePort?: unknown } | undefined;
  const host = error.hostname ?? error.host ?? error.address ?? socket?.remoteAddress;
  const port = error.port ?? socket?.remotePort;
  if (typeof host === "string") return port === undefined ? `'${host}'` : `'${host}:${String(port)}'`;
  if (typeof error.path === "string") return `'${error.path}'`;
  const message = thrown instanceof Error ? readableMessage(thrown) : "";
  return message === "" ? "(unnamed)" : `(${message})`;
}
