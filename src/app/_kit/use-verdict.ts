import { useEffect, useState } from "react";
import { getMessage } from "@/lib/get-message";

const AFTER_LAST_KEY_MS = 300;

interface Verdict<T> {
  /** The text that was checked last; differs from the current one until the next check. */
  checked: string | null;
  /** Null before the first answer, and when asking failed. */
  answer: T | null;
  /** Asking itself did not work: the server is away. */
  failure: string | null;
}

/**
 * The server's verdict on a text while it is being written, asked once the typing pauses.
 * @param text null: nothing is to be checked
 * @param ask from `useCallback`; a new function asks again
 */
export function useVerdict<T>(text: string | null, ask: (text: string, signal: AbortSignal) => Promise<T>): Verdict<T> {
  const [verdict, setVerdict] = useState<Verdict<T>>({ checked: null, answer: null, failure: null });

  // Outside system: the server's checker.
  useEffect(() => {
    if (text === null) return;
    const aborter = new AbortController();
    const { signal } = aborter;
    const timer = setTimeout(() => {
      ask(text, signal).then(
        (answer) => {
          if (!signal.aborted) setVerdict({ checked: text, answer, failure: null });
        },
        (error: unknown) => {
          if (!signal.aborted) setVerdict({ checked: text, answer: null, failure: getMessage(error) });
        },
      );
    }, AFTER_LAST_KEY_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [ask, text]);

  return verdict;
}
