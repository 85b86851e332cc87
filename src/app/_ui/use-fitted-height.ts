import { type RefObject, useLayoutEffect, useRef } from "react";

/** The class of a text area that is as high as its text. */
export const FITTED = "field-sizing-content";

/** Makes a text area as high as its text where the browser does not do it by `FITTED`; null leaves it as it is. */
export function useFittedHeight(text: string | null): RefObject<HTMLTextAreaElement | null> {
  const area = useRef<HTMLTextAreaElement>(null);
  // Outside system: the layout, which knows how many lines the text takes.
  useLayoutEffect(() => {
    const { current } = area;
    if (current === null || text === null || CSS.supports("field-sizing", "content")) return;
    current.style.height = "auto";
    current.style.height = `${current.scrollHeight + current.offsetHeight - current.clientHeight}px`;
  }, [text]);
  return area;
}
