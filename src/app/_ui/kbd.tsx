import type { ReactNode } from "react";
import { cx } from "./class-names";

export interface KbdProps {
  children: ReactNode;
  /** Takes the colour of the button it stands in, and no frame. */
  plain?: boolean;
  className?: string;
}

export function Kbd({ children, plain = false, className }: KbdProps) {
  return (
    <kbd
      className={cx(
        "inline-flex min-w-4 items-center justify-center font-mono text-2xs max-sm:hidden",
        plain ? "text-inherit" : "rounded-xs border border-line2 px-1 text-mute",
        className,
      )}
    >
      {children}
    </kbd>
  );
}
