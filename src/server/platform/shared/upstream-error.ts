import type { ErrorKind, ExecutionEnvelope, ProtocolErrorBody } from "../../../lib/contract/envelope";
import { getMessage } from "../../../lib/get-message";
import { AppError, type AppErrorCode, isAppError } from "./app-error";

/** A failure of a request to a server, as an error or in an envelope. */
interface UpstreamFailure {
  kind: ErrorKind | undefined;
  message: string;
  protocolError?: ProtocolErrorBody | undefined;
}

type FailedEnvelope = Pick<Extract<ExecutionEnvelope, { success: false }>, "error" | "error_kind" | "protocol_error">;

const CODES: Partial<Record<ErrorKind, AppErrorCode>> = {
  not_found: "NOT_FOUND",
  handler_not_found: "NOT_FOUND",
  invalid_arguments: "INVALID",
  tool_error: "INVALID",
  approval_pending: "CONFLICT",
  // The user has to connect an account first.
  sign_in_needed: "CONFLICT",
};
/** Error codes with which a server refuses a request. */
const REFUSED: ReadonlyMap<number, AppErrorCode> = new Map([
  [-32_602, "INVALID"],
  [-32_601, "INVALID"],
  [-32_002, "NOT_FOUND"],
]);

/** Tells what the request asked for wrongly from a server that cannot answer, which alone is `UNAVAILABLE`. */
function toUpstreamRefusal({ kind, message, protocolError }: UpstreamFailure): AppError {
  const refused = protocolError === undefined ? undefined : REFUSED.get(protocolError.code);
  return new AppError(refused ?? (kind === undefined ? undefined : CODES[kind]) ?? "UNAVAILABLE", message);
}

export const toRefusalOfEnvelope = (failed: FailedEnvelope): AppError =>
  toUpstreamRefusal({ kind: failed.error_kind, message: failed.error, protocolError: failed.protocol_error });

/** The refusal for an error that a connection threw. */
export function toRefusalOfThrown(error: unknown): AppError {
  if (isAppError(error)) return error;
  const { kind, protocolError } = error as Partial<UpstreamFailure>;
  return toUpstreamRefusal({ kind, message: getMessage(error), protocolError });
}
