import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCMessage,
  type JSONRPCRequest,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
  type ServerContext,
  type Transport,
} from "@modelcontextprotocol/server";
import { isPlainObject } from "../../../lib/contract/json";
import type { ANY_RESULT } from "./sdk-results";

/** The facts that a call uses of its request; the SDK's context has them too. */
export interface CallContext {
  mcpReq: Pick<
    ServerContext["mcpReq"],
    "_meta" | "envelope" | "inputResponses" | "log" | "notify" | "requestState" | "send" | "signal"
  >;
  /** Whether the client's connection is gone. */
  isCallerGone?: (() => boolean) | undefined;
  /** The controller of `signal`, where it was made for this call alone. */
  controller?: AbortController;
}

/** A transport that may know that the client of a request is gone. */
export type AnswerTransport = Pick<Transport, "send"> & { isGone?(id: RequestId): boolean };

export interface CallContextOptions {
  controller: AbortController;
  /** The envelope of a stateless request. */
  envelope: Record<string, unknown> | undefined;
  /** The level that the client of a session has set. */
  logLevel: () => string | undefined;
  ask: (request: unknown, resultSchema: typeof ANY_RESULT, options: object) => Promise<unknown>;
}

/** The levels of log messages, least severe first. */
export const PROTOCOL_LEVELS = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;

const ENVELOPE_KEYS = [
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
];
const NO_STATE = (): undefined => undefined;

/** Reads a stateless request's description of its client; undefined for a request without any of it. */
export function readEnvelope({ params }: JSONRPCRequest): Record<string, unknown> | undefined {
  const meta = params?._meta;
  if (!isPlainObject(meta)) return undefined;
  const found = ENVELOPE_KEYS.filter((key) => key in meta);
  return found.length === 0 ? undefined : Object.fromEntries(found.map((key) => [key, meta[key]]));
}

/** The context of a call that the SDK has not seen. */
export function createCallContext(
  { id, params }: JSONRPCRequest,
  transport: AnswerTransport,
  { controller, envelope, logLevel, ask }: CallContextOptions,
): CallContext {
  const related = { relatedRequestId: id };
  const notify: CallContext["mcpReq"]["notify"] = (notification) =>
    transport.send({ jsonrpc: "2.0", ...notification } as JSONRPCMessage, related);
  const wants = (level: string): boolean => {
    const least = envelope === undefined ? logLevel() : envelope[LOG_LEVEL_META_KEY];
    if (least === undefined) return envelope === undefined;
    return getSeverity(level) >= getSeverity(least);
  };
  return {
    controller,
    isCallerGone: () => transport.isGone?.(id) === true,
    mcpReq: {
      signal: controller.signal,
      requestState: NO_STATE as CallContext["mcpReq"]["requestState"],
      notify,
      log: async (level, data, logger) => {
        if (wants(level)) await notify({ method: "notifications/message", params: { level, data, logger } });
      },
      send: ((request: unknown, resultSchema: typeof ANY_RESULT, options: object) =>
        ask(request, resultSchema, { ...options, ...related })) as never,
      ...(params?._meta === undefined ? {} : { _meta: params._meta }),
      ...(envelope === undefined ? {} : { envelope: envelope as never }),
    },
  };
}

/** -1 for a level that the protocol does not have. */
export function getSeverity(level: unknown): number {
  return (PROTOCOL_LEVELS as readonly unknown[]).indexOf(level);
}
