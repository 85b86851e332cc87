import { createMutex } from "./mutex";

/**
 * The parameter of every write to what open pages and clients show. `createEdits` alone makes one, and announces what was
 * marked: state whose writes take it cannot change unannounced.
 */
export interface Change {
  mark(): void;
}

export type Edit = <T>(work: (change: Change) => Promise<T>) => Promise<T>;

/** For what is loaded before there is a listener. */
export const AT_START: Change = { mark: () => undefined };

/** @param announce tells others once that something is another one now, also where the work failed after its first write */
export function createEdits(announce: () => void) {
  const runExclusive = createMutex();
  const editAtOnce: Edit = async (work) => {
    let isChanged = false;
    try {
      return await work({
        mark() {
          isChanged = true;
        },
      });
    } finally {
      if (isChanged) announce();
    }
  };
  return {
    /** For a change that reads before it writes: one at a time. */
    edit: ((work) => runExclusive(() => editAtOnce(work))) as Edit,
    /** For a change whose order its caller keeps. */
    editAtOnce,
  };
}
