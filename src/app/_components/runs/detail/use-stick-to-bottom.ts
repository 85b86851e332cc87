import { useCallback, useEffect, useRef, useState } from "react";

/** Nearer to the end than this counts as being there. */
const NEAR_PX = 48;

/**
 * Keeps the end of what grows in sight, until the person scrolls away from it. `scroller` scrolls, `content` is inside and
 * grows; `follow` false begins at the top.
 */
export function useStickToBottom(follow: boolean) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const stuck = useRef(follow);
  const [away, setAway] = useState(false);

  const jump = useCallback((): void => {
    stuck.current = true;
    setAway(false);
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, []);

  // Outside system: the page's layout.
  useEffect(() => {
    const box = scroller.current;
    const grown = content.current;
    if (!box || !grown) return;
    const distance = (): number => box.scrollHeight - box.clientHeight - box.scrollTop;
    const onScroll = (): void => {
      stuck.current = distance() < NEAR_PX;
      setAway(!stuck.current);
    };
    const observer = new ResizeObserver(() => {
      if (stuck.current) box.scrollTop = box.scrollHeight;
      else setAway(distance() >= NEAR_PX);
    });
    observer.observe(grown);
    observer.observe(box);
    box.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener("scroll", onScroll);
    };
  }, []);

  return { scroller, content, away, jump };
}
