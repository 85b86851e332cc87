/** Waits until it is done or nobody waits for it any more, whichever comes first. */
export async function waitUntilAborted(waiting: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return;
  let stop: (() => void) | undefined;
  const aborted = new Promise<void>((resolve) => {
    stop = () => resolve();
    signal?.addEventListener("abort", stop, { once: true });
  });
  try {
    await Promise.race([waiting, aborted]);
  } finally {
    if (stop !== undefined) signal?.removeEventListener("abort", stop);
  }
}

export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await waitUntilAborted(waited, signal);
  clearTimeout(timer);
}
