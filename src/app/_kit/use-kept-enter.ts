import { useEffect, useEffectEvent, useState } from "react";

interface KeptEnterOptions<Result> {
  /** What Enter picks; undefined for none. */
  first: Result | undefined;
  /** Results of what is typed are still to come, and one of them may be the first. */
  isBusy: boolean;
  pick: (result: Result) => void;
}

/**
 * Keeps an Enter that is pressed before the results of a search are there, and picks the first of them when they are. Typing cancels
 * it, and so does closing the search.
 */
export function useKeptEnter<Result>({ first, isBusy, pick }: KeptEnterOptions<Result>) {
  const [isKept, setKept] = useState(false);
  const settle = useEffectEvent((): void => {
    setKept(false);
    if (first !== undefined) pick(first);
  });
  const isSettled = isKept && !isBusy;
  // Outside system: the server, whose results are there.
  useEffect(() => {
    if (isSettled) settle();
  }, [isSettled]);
  return { isKept, keep: () => setKept(true), cancel: () => setKept(false) };
}
