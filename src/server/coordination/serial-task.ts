export interface SerialTask {
  /** Resolves when `work` has run once from its beginning after this call. Rejects as that run did. */
  run(): Promise<void>;
  /** Waits for a run in progress; later calls of `run` do nothing. */
  stop(): Promise<void>;
}

/** Runs `work` once at a time; calls that come during a run share the next one. */
export function createSerialTask(work: () => Promise<void>): SerialTask {
  let current: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  let isStopped = false;

  function begin(): Promise<void> {
    const mine = work().finally(() => {
      if (current === mine) current = null;
    });
    current = mine;
    return mine;
  }

  return {
    run() {
      if (isStopped) return Promise.resolve();
      if (current === null) return begin();
      next ??= current
        .catch(() => undefined)
        .then(() => {
          next = null;
          return isStopped ? undefined : begin();
        });
      return next;
    },
    async stop() {
      isStopped = true;
      await current?.catch(() => undefined);
    },
  };
}
