import type { FailureEnvelope } from "../../lib/contract";

/** How a call ended, before it is written down. */
export type Verdict = SuccessVerdict | FailureVerdict;

export interface SuccessVerdict {
  success: true;
  result: unknown;
  /** The result's whole JSON text. */
  resultText: string;
}

export interface FailureVerdict
  extends Pick<FailureEnvelope, "status" | "error" | "error_kind" | "faults" | "required_parameters" | "limit"> {
  success: false;
  /** For the log only. */
  stack?: string | undefined;
}
