import type { ComponentProps } from "react";
import { cx } from "./class-names";

export type BadgeTone = "neutral" | "accent" | "ok" | "warn" | "bad";

const TONE: Record<BadgeTone, string> = {
  neutral: "border-line2 text-mute",
  accent: "border-transparent bg-accent-bg text-accent",
  ok: "border-transparent bg-ok-bg text-ok",
  warn: "border-transparent bg-warn-bg text-warn",
  bad: "border-transparent bg-bad-bg text-bad",
};

interface BadgeProps extends ComponentProps<"span"> {
  tone?: BadgeTone;
}

export function Badge({ tone = "neutral", className, ...native }: BadgeProps) {
  return (
    <span
      {...native}
      className={cx(
        "inline-flex shrink-0 items-center gap-1 whitespace-nowrap rounded-sm border px-1.5 text-2xs",
        TONE[tone],
        className,
      )}
    />
  );
}
