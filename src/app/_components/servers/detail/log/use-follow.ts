"use client";

import { type RefObject, type UIEvent, useEffect, useRef } from "react";

/** So near to the end counts as being there. */
const NEAR_PX = 24;

/** Keeps an area at its end while it grows, unless the reader has scrolled away from there. */
export function useFollow(area: RefObject<HTMLElement | null>, grown: unknown): (event: UIEvent<HTMLElement>) => void {
  const atEnd = useRef(true);
  // Outside system: the browser's scroll position.
  useEffect(() => {
    const element = area.current;
    if (element !== null && grown !== null && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [area, grown]);
  return ({ currentTarget }) => {
    const { scrollTop, scrollHeight, clientHeight } = currentTarget;
    atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
  };
}
