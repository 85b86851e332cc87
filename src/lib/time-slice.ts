/** A pause is due after this: long enough that pausing costs little, short enough for calls that wait. */
const SLICE_MS = 10;

/**
 * Keeps a loop over many items from holding the event loop: await `pause()` between items. It lets other work run once the
 * loop has had its time.
 */
export class TimeSlice {
  #since = performance.now();

  pause(): Promise<void> | undefined {
    if (performance.now() - this.#since < SLICE_MS) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#since = performance.now();
        resolve();
      });
    });
  }
}
