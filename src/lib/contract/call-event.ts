import type { InteractionAnswer, InteractionRequest } from "./interaction";

/** A progress notification of a call, or a request of its server with the answer, in their order. */
export type CallEvent =
  | { progress: number; total?: number | undefined; message?: string | undefined }
  | { ask: InteractionRequest; answer: InteractionAnswer };

/** What a call's record does not hold: its events, and the error of the protocol that ended it. */
export interface CallEvents {
  events: readonly CallEvent[];
  protocolError: { code: number; message: string; data?: unknown } | null;
}
