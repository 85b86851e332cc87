/**
 * Runs at once, then at most every `intervalMs` and never twice at a time. A call that comes meanwhile is run afterwards,
 * so that what it announces is always read by a run that began later.
 */
export function awaitingThrottle(
  run: () => Promise<unknown>,
  intervalMs: number,
): { fire: () => void; cancel: () => void } {
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
