export const DEFAULT_LIMITS = {
  /** A longer message is dropped while it is read. Larger than the executor's limits, so that those apply first. */
  maxMessageBytes: 64 * 1024 * 1024,
  pingEveryMs: 30_000,
  pingTimeoutMs: 10_000,
  backoff: { initialMs: 1000, maxMs: 60_000, factor: 2 },
  /** How long `list_changed` notifications are collected before the tools are listed again. */
  debounceMs: 300,
  /** How long an ending process gets after its input was closed, and again after SIGTERM. */
  closeGraceMs: 2000,
  /** How long standard output is read after the process has exited. */
  drainMs: 200,
  listTimeoutMs: 30_000,
  maxPages: 500,
  maxListed: 10_000,
  maxLogLines: 2000,
  maxLogLineChars: 4096,
  maxMessages: 500,
  maxMessageChars: 16_384,
  /** The limit of each stream of the log. */
  logLinesPerSecond: 200,
  /** Requests of one server that wait for an answer. */
  maxPendingRequests: 20,
  /** The time between two progress events of one call. */
  progressEveryMs: 50,
  /** Notifications of a server that are read a second, and more for each running call; `burst` at once. A request counts as five. */
  inflow: { perSecond: 500, perCall: 50, burst: 20_000, maxFloodMs: 30_000 },
  /**
   * The pause before a stream that ended is opened again: bounds for the server's wish. The lower one doubles while
   * streams end within `calmMs`.
   */
  reopen: { minMs: 250, maxShortMs: 5000, maxMs: 300_000, calmMs: 10_000 },
  /**
   * The pause between two polls of a task: bounds for the server's wish, and the first of a growing time where the
   * server has none.
   */
  taskPoll: { minMs: 250, maxMs: 60_000, firstMs: 500 },
  /** The pause between two attempts to reconnect for a task. */
  taskReconnectMs: 1000,
  /** A connection that ends sooner counts as failed. */
  quickFailureMs: 5000,
  /** After this many consecutive failures a call no longer skips the backoff. */
  maxQuickFailures: 5,
  /** Calls that find the server disconnected start at most one attempt in this time. */
  attemptSpacingMs: 250,
  /** The idle time after which a user's connection is closed. */
  idleCloseMs: 300_000,
  /** Open connections with personal credentials, of all servers; each may be a process. */
  maxPersonal: 100,
};

export type ConnectionLimits = typeof DEFAULT_LIMITS;
