import type { ReactNode } from "react";

export interface CardProps {
  title: string;
  /** Beside the title: a link or a button. */
  action?: ReactNode;
  children: ReactNode;
}

/** A section of a page in a box, under a title. */
export function Card({ title, action, children }: CardProps) {
  return (
    <section aria-label={title} className="min-w-0 rounded-lg border border-line bg-panel">
      <div className="flex items-center justify-between gap-2 border-line border-b px-3.5 py-2">
        <h2 className="font-medium">{title}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}
