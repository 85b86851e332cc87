import type { InteractionAnswer, InteractionRequest } from "./interaction";

/** A progress notification or a log message of a call, or a request of its server with the answer, in their order. */
export type CallEvent =
  | { log: { level: string; logger?: string | undefined; data: unknown } }
  | { progress: number; total?: number | undefined; message?: string | undefined }
  | { ask: InteractionRequest; answer: InteractionAnswer };

/** The parts of a call that its execution does not store: its events, and the protocol error that ended it. */
export interface CallEvents {
  events: readonly CallEvent[];
  protocolError: { code: number; message: string; data?: unknown } | null;
}
