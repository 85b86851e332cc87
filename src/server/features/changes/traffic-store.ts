/** The facts of a recorded call that a verdict needs before it reads the texts. */
export interface CallHead {
  seq: number;
  id: string;
  /** The size of arguments and result together. */
  bytes: number;
  queuedAt: number;
  /** The program and its version. */
  client: string | null;
  actorId: string;
  actorName: string;
  errorKind: string | null;
  /** 1 where a part of the result is stored. */
  resultTruncated: number;
  /** 1 where the call used a personal credential. */
  isPersonal: number;
}

export interface CallTexts {
  seq: number;
  argumentsText: string;
  resultText: string | null;
}

/** Numbers of two calls and all between them. */
export interface CallSpan {
  first: number;
  last: number;
}

/** `clients`: calls of users, programs and models. `suites`: those of tests and evals. */
export type TrafficPart = "clients" | "suites";

/** Recorded calls of a tool, newest first, in pieces that do not hold the event loop. */
export interface TrafficStore {
  /** Ended calls below `below`; those of replays, and those that another Toolroom recorded, are in no part. */
  heads(tool: string, part: TrafficPart, below: number, limit: number): Promise<CallHead[]>;
  /** Their texts, between two of them. @param results whether the results are wanted too */
  texts(tool: string, part: TrafficPart, between: CallSpan, results: boolean): Promise<CallTexts[]>;
}
