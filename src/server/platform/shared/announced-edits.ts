import { createMutex } from "./mutex";

/**
 * The parameter of every write to what open pages and clients show. `createEdits` alone makes one, and announces what was
 * marked: state whose writes take it cannot change unannounced.
 */
export interface Change {
  mark(): void;
}

export type Edit = <T>(work: (change: Change) => Promise<T>) => Promise<T>;

/** A change for loading before there is a listener. */
export const AT_START: Change = { mark: () => undefined };

/**
 * Where the changed state comes from: it was stored, so that other instances of the server read it; it is this instance's alone; or
 * another instance stored it, tells users of it, and this instance follows.
 */
export type ChangeOrigin = "stored" | "here" | "followed";

/** @param announce tells others once that something is another one now, also where the work failed after its first write */
export function createEdits(announce: (origin: ChangeOrigin) => void) {
  const runExclusive = createMutex();
  const announcing =
    (origin: ChangeOrigin): Edit =>
    async (work) => {
      let isChanged = false;
      try {
        return await work({
          mark() {
            isChanged = true;
          },
        });
      } finally {
        if (isChanged) announce(origin);
      }
    };
  const editStored = announcing("stored");
  const followStored = announcing("followed");
  return {
    /** For a change that reads before it writes: one at a time. */
    edit: ((work) => runExclusive(() => editStored(work))) as Edit,
    /** For a change of this instance's own state, whose order its caller keeps. */
    editAtOnce: announcing("here"),
    /** For reading what another instance changed: in turn with the edits. */
    follow: ((work) => runExclusive(() => followStored(work))) as Edit,
  };
}
