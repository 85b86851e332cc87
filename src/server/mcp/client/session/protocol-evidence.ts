import { readErrorTrail } from "./describe-error";

/** JSON-RPC's internal error. */
const INTERNAL_ERROR = -32_603;
/** Statuses after which a request may be repeated. */
const TRANSIENT_STATUSES = [408, 425, 429];
/** These say nothing about the protocol. */
const ACCESS_STATUSES = [401, 403];

/** What the response to `server/discover` proves: `proof` is permanent, `failure` may be different next time. */
export type ProbeAnswer = "none" | "proof" | "failure";

export function judgeProbeError(error: unknown): ProbeAnswer {
  const code = typeof error === "object" && error !== null ? (error as { code?: unknown }).code : undefined;
  return code === INTERNAL_ERROR ? "failure" : "proof";
}

/** For a probe that could not be sent, or was refused over HTTP. */
export function judgeProbeRefusal(thrown: unknown): ProbeAnswer {
  const { status, unauthorized, missingScope } = readErrorTrail(thrown);
  if (status === null || unauthorized || missingScope !== null) return "none";
  return isLastingRefusal(status) ? "proof" : "failure";
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
