import { useSyncExternalStore } from "react";

/** From this width the drawer is beside the list; below, it covers the list. */
const BESIDE = "(min-width: 80rem)";

const isBeside = (): boolean => window.matchMedia(BESIDE).matches;

function subscribe(listener: () => void): () => void {
  const query = window.matchMedia(BESIDE);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

/** True where an open drawer leaves the list in sight and the focus in it. */
export function useIsBeside(): boolean {
  return useSyncExternalStore(subscribe, isBeside, () => true);
}
