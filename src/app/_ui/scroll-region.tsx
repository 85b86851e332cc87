import type { ReactNode } from "react";
import { cx } from "./class-names";

interface ScrollRegionProps {
  label: string;
  children: ReactNode;
  className?: string;
}

/**
 * The keyboard must reach what the mouse wheel does: an area that scrolls and holds nothing focusable is a tab stop itself.
 * A group, not a landmark: a page may have several of one name.
 */
export function ScrollRegion({ label, children, className }: ScrollRegionProps) {
  const tabStop = { role: "group", tabIndex: 0, "aria-label": label };
  return (
    <div {...tabStop} className={cx("max-w-full overflow-auto", className)}>
      {children}
    </div>
  );
}
