import { cx } from "./class-names";

/** 24 px to hit (WCAG 2.2), 16 px to see. */
export const CHECKBOX = cx(
  "relative block size-6 cursor-pointer appearance-none rounded-sm",
  "before:absolute before:inset-1 before:rounded-xs before:border before:border-edge before:bg-panel checked:before:border-accent checked:before:bg-accent",
  "after:absolute after:top-1.75 after:left-[9px] after:hidden after:h-2 after:w-1.25 after:rotate-45 after:border-panel after:border-r-2 after:border-b-2 checked:after:block",
);
