import { explainDenial, isLimited, type Permission, type Principal } from "../../../lib/contract/access";

/** How often an open stream asks anyway: a session and a token also end by time. */
const CHECK_MS = 10_000;

/** Reports each change to a user's rights or sessions: the user's id, or null for anyone's. @returns ends it */
export type OnAccessChange = (listener: (userId: string | null) => void) => () => void;

export interface ReaderWatch {
  /** The user who opened the stream. */
  userId: string;
  /** The current reader; null once signed out. A rejection counts as null. */
  recheck(): Principal | null | Promise<Principal | null>;
  /** Absent: access is rechecked at intervals only. */
  onChange?: OnAccessChange | undefined;
  permission?: Permission;
  /** True when a token that is limited to tools may read the stream too. */
  admitsLimited?: boolean;
  checkMs?: number | undefined;
  onLost(): void;
}

/** True when a principal may read what all users do: a token that is limited to tools may not. */
export function isReader(principal: Principal | null, permission: Permission = "read"): principal is Principal {
  return (
    principal !== null &&
    explainDenial(principal, permission) === null &&
    (principal.token === null || !isLimited(principal.token))
  );
}

/**
 * Watches the reader of an open stream, and calls `onLost` once the reader may no longer read it: at once after a
 * change to the user, else at the next interval.
 * @returns ends the watch
 */
export function watchReader(watch: ReaderWatch): () => void {
  const { userId, recheck, onChange, permission = "read", admitsLimited = false, checkMs = CHECK_MS, onLost } = watch;
  const mayRead = (found: Principal | null): boolean =>
    admitsLimited ? found !== null && explainDenial(found, permission) === null : isReader(found, permission);

  async function check(): Promise<void> {
    const found = await Promise.resolve()
      .then(recheck)
      .catch(() => null);
    if (mayRead(found) || stopped) return;
    stop();
    onLost();
  }

  let stopped = false;
  const timer = setInterval(check, checkMs).unref();
  const unsubscribe = onChange?.((changed) => {
    if (changed === null || changed === userId) void check();
  });
  function stop(): void {
    stopped = true;
    clearInterval(timer);
    unsubscribe?.();
  }
  return stop;
}
