import { Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "./class-names";

interface AlertProps {
  tone: "warn" | "bad" | "accent";
  title: ReactNode;
  children?: ReactNode;
  /** Speaks up when it appears; for what the user's own action brought about. */
  live?: boolean;
  className?: string;
}

const TONE = {
  warn: "border-warn bg-warn-bg",
  bad: "border-bad bg-bad-bg",
  accent: "border-accent bg-accent-bg",
} as const;
const ICON_TONE = { warn: "text-warn", bad: "text-bad", accent: "text-accent" } as const;

/** A message that stays while it is true. */
export function Alert({ tone, title, children, live = false, className }: AlertProps) {
  const Icon = tone === "accent" ? Info : TriangleAlert;
  return (
    <div
      role={live ? "alert" : undefined}
      className={cx("flex gap-2.5 rounded-lg border px-3 py-2", TONE[tone], className)}
    >
      <Icon size={15} className={cx("mt-0.5 shrink-0", ICON_TONE[tone])} />
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <div className="font-medium">{title}</div>
        {children}
      </div>
    </div>
  );
}
