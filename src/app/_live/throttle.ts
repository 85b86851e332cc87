export interface Throttle {
  fire: () => void;
  cancel: () => void;
}

/**
 * Runs at once, then at most every `intervalMs` and never twice at a time. A call during a run is followed by another
 * run, so that what the call announced is read by a run that began after it.
 */
export function createThrottle(run: () => Promise<unknown>, intervalMs: number): Throttle {
  let busy = false;
  let again = false;
  let cancelled = false;

  async function cycle(): Promise<void> {
    busy = true;
    do {
      again = false;
      await Promise.allSettled([run(), new Promise((resolve) => setTimeout(resolve, intervalMs))]);
    } while (again && !cancelled);
    busy = false;
  }

  return {
    fire: () => {
      if (cancelled) return;
      if (busy) again = true;
      else void cycle();
    },
    cancel: () => {
      cancelled = true;
    },
  };
}
