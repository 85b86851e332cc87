import type { ReactNode } from "react";

/** The width and rhythm of a page that is read from top to bottom. Lists and panes are as wide as the window. */
export const BODY = "flex w-full max-w-5xl flex-col gap-4 p-4";

/** The layout of fields with the verdict beside them. */
export const FORM_BODY = "grid content-start gap-4 p-4 xl:grid-cols-[minmax(0,52rem)_22rem]";

interface PageBodyProps {
  /** The body scrolls below its tabs, which stay in place. */
  scrolls?: boolean;
  children: ReactNode;
}

/** The body of a page or tab that is read from top to bottom: sections one below the other, in one width. */
export function PageBody({ scrolls = false, children }: PageBodyProps) {
  const body = <div className={BODY}>{children}</div>;
  return scrolls ? <div className="min-h-0 flex-1 overflow-y-auto">{body}</div> : body;
}
