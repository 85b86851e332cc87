import type { FailureEnvelope } from "../../lib/contract";

/** How a call ended, before it is written down. */
export type Verdict = SuccessVerdict | FailureVerdict;

export interface SuccessVerdict {
  success: true;
  result: unknown;
  /** The result's whole JSON text. */
  resultText: string;
  /** What a model reads, where that is not the result's text. */
  modelText?: string | undefined;
}

export interface FailureVerdict
  extends Pick<
    FailureEnvelope,
    "status" | "error" | "error_kind" | "faults" | "required_parameters" | "limit" | "result"
  > {
  success: false;
  /** JSON text of `result`, where there is one. */
  resultText?: string | undefined;
  /** For the log only. */
  stack?: string | undefined;
}
