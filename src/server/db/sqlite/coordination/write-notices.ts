import type { WriteNotices } from "../../../coordination/write-notices";
import type { Database } from "../../database";

const POLL_MS = 250;

/** Asks SQLite whether another connection has committed; commits of this connection do not count. */
export function createWriteNotices({ raw }: Pick<Database, "raw">, pollMs = POLL_MS): WriteNotices {
  const listeners = new Set<() => void>();
  // Prepared once, `PRAGMA data_version` costs microseconds.
  const select = raw.prepare<[], number>("PRAGMA data_version").pluck().safeIntegers(false);
  let version = select.get();
  const timer = setInterval(() => {
    if (!raw.open) return clearInterval(timer);
    const current = select.get();
    if (current === version) return;
    version = current;
    for (const listener of listeners) listener();
  }, pollMs).unref();
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    close() {
      clearInterval(timer);
      listeners.clear();
    },
  };
}
