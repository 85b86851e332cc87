import type { ConnectionSettings } from "../../../engine/mcp-ports";
import { isUnreachable, isUntrusted, readErrorTrail } from "./describe-error";

/** The code of JSON-RPC's internal error. */
const INTERNAL_ERROR = -32_603;
/** The codes with which servers refuse an unknown method or version. */
const UNKNOWN_METHOD_CODES = [-32_600, -32_601, -32_602, -32_022];
/** Statuses after which a request may be repeated. */
const TRANSIENT_STATUSES = [408, 425, 429];
/** Statuses that reveal nothing about the protocol. */
const ACCESS_STATUSES = [401, 403];

/** The evidence of the response to `server/discover`: `proof` is permanent, `failure` may be different next time. */
export type ProbeAnswer = "none" | "proof" | "failure";

export function checkProbeError(error: unknown): ProbeAnswer {
  const code = typeof error === "object" && error !== null ? (error as { code?: unknown }).code : undefined;
  return code === INTERNAL_ERROR ? "failure" : "proof";
}

/** For a probe that could not be sent, or was refused over HTTP. */
export function checkProbeRefusal(thrown: unknown): ProbeAnswer {
  const { status, unauthorized, missingScope } = readErrorTrail(thrown);
  if (status === null || unauthorized || missingScope !== null) return "none";
  return isLastingRefusal(status) ? "proof" : "failure";
}

/** Whether `initialize` may still work after `server/discover` failed: not where nothing may be sent, or nothing more for now. */
export function allowsInitialize(thrown: unknown): boolean {
  const { status, unauthorized, missingScope, refusedAddress } = readErrorTrail(thrown);
  if (unauthorized || missingScope !== null || refusedAddress !== null) return false;
  if (status !== null) return status >= 400 && status !== 401 && !TRANSIENT_STATUSES.includes(status);
  return !isUnreachable(thrown) && !isUntrusted(thrown);
}

/** Whether an error that came with an HTTP status answers the probe like one that came without. */
export function answersProbe(error: { code: number }): boolean {
  return UNKNOWN_METHOD_CODES.includes(error.code);
}

/** Whether the server refused `initialize` itself: it may have been upgraded to the newer protocol. */
export function refusesInitialize(thrown: unknown): boolean {
  const { status, messages } = readErrorTrail(thrown);
  if (status !== null) return isLastingRefusal(status);
  if (messages.some((message) => /protocol version is not supported/i.test(message))) return true;
  return listCauses(thrown).some(
    (error) => error.name === "ProtocolError" && (error as { code?: unknown }).code !== INTERNAL_ERROR,
  );
}

function isLastingRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !ACCESS_STATUSES.includes(status) && !TRANSIENT_STATUSES.includes(status);
}

function listCauses(thrown: unknown): Error[] {
  const found: Error[] = [];
  for (let current = thrown; current instanceof Error && found.length < 5; current = current.cause) found.push(current);
  return found;
}

/** What a server may request in the middle of a call, in the words of the protocol and of the SDKs. */
const SERVER_REQUESTS =
  /elicitation\/create|sampling\/createMessage|roots\/list|elicit|\bsampling\b|create_?message|list_?roots|server[- ](?:initiated|to[- ]client)|back-?channel/i;
/** A request that excludes the revision 2026-07-28, in which a result asks for input instead. */
const NEWER_PROTOCOL =
  /2026-07-28|server[- ](?:initiated|to[- ]client)|back-?channel|(?:new|newer|modern|stateless) protocol|multi[- ]round[- ]trip|input_?required|input_?requests/i;
const REFUSAL = /\b(?:cannot|can't|not|no|un(?:available|supported)|forbidden|disallowed|removed|only)\b/i;
const SEARCHED_CHARS = 2000;

/** The part of a session that tells which protocol it speaks, and why. */
interface NegotiatedSession {
  modern: boolean;
  settings: Pick<ConnectionSettings, "protocol">;
}

/** Whether a call failed because its tool requested input in the middle of it: on a connection that began with `initialize` it may. */
export function needsLegacyProtocol(session: NegotiatedSession, said: string): boolean {
  if (!session.modern || session.settings.protocol !== "auto") return false;
  const lines = said.slice(0, SEARCHED_CHARS).split("\n");
  return lines.some((line) => [SERVER_REQUESTS, NEWER_PROTOCOL, REFUSAL].every((pattern) => pattern.test(line)));
}
