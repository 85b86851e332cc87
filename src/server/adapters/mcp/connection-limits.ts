import type { BackoffLimits } from "./backoff";

export interface ConnectionLimits {
  /** A longer message is dropped while it is read. Above what is cut for people and models, so that they decide. */
  maxMessageBytes: number;
  pingEveryMs: number;
  pingTimeoutMs: number;
  backoff: BackoffLimits;
  /** How long `list_changed` notifications are collected before the tools are read again. */
  debounceMs: number;
  /** What an ending process is given after its input was closed, and again after SIGTERM. */
  closeGraceMs: number;
  /** What standard output is given to run dry after the process has exited. */
  drainMs: number;
  /** How long a stdio server may think about `server/discover` before it counts as one that does not know it. */
  probeTimeoutMs: number;
  listTimeoutMs: number;
  maxPages: number;
  maxListed: number;
  maxLogLines: number;
  maxLogLineChars: number;
  maxMessages: number;
  maxMessageChars: number;
  /** Of each stream of the log. */
  logLinesPerSecond: number;
  /** Of one server, that wait for an answer. */
  maxOpenQuestions: number;
  /** Between two steps of progress that a call's listeners hear. */
  progressEveryMs: number;
  /** A connection that ends sooner was never good. */
  quickFailureMs: number;
  /** After this many failures in a row a call no longer cuts a waiting time short. */
  maxQuickFailures: number;
  /** Calls that find the server away bring no more than one attempt in this time. */
  attemptSpacingMs: number;
}

export const DEFAULT_LIMITS: ConnectionLimits = {
  maxMessageBytes: 64 * 1024 * 1024,
  pingEveryMs: 30_000,
  pingTimeoutMs: 10_000,
  backoff: { firstMs: 1000, mostMs: 60_000, factor: 2 },
  debounceMs: 300,
  closeGraceMs: 2000,
  drainMs: 200,
  probeTimeoutMs: 3000,
  listTimeoutMs: 30_000,
  maxPages: 500,
  maxListed: 10_000,
  maxLogLines: 2000,
  maxLogLineChars: 4096,
  maxMessages: 500,
  maxMessageChars: 16_384,
  logLinesPerSecond: 200,
  maxOpenQuestions: 20,
  progressEveryMs: 50,
  quickFailureMs: 5000,
  maxQuickFailures: 5,
  attemptSpacingMs: 250,
};
