import type { ReactNode } from "react";
import { cx } from "./class-names";

interface CardProps {
  title: ReactNode;
  /** Its accessible name, where that is not the title. */
  label?: string;
  /** The description below the title. */
  about?: ReactNode;
  /** The content beside the title: a link or a button. */
  action?: ReactNode;
  className?: string;
  children: ReactNode;
}

/** A section of a page in a box, under a title. */
export function Card({ title, label, about, action, className, children }: CardProps) {
  const name = label ?? (typeof title === "string" ? title : undefined);
  return (
    <section aria-label={name} className={cx("min-w-0 rounded-lg border border-line bg-panel", className)}>
      <div className="flex flex-wrap items-center gap-2 border-line border-b px-3.5 py-2">
        <div className={cx("min-w-0 flex-1", Boolean(about) && "basis-52")}>
          <h2 className="font-medium">{title}</h2>
          {about && <p className="text-mute text-xs">{about}</p>}
        </div>
        {action}
      </div>
      {children}
    </section>
  );
}
