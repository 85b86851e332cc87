import type { ReactNode } from "react";

export interface EmptyStateProps {
  title: string;
  /** The heading's level where this is what the page is about. */
  heading?: "h1" | "h2";
  children?: ReactNode;
  /** The next step: a button or a link. */
  action?: ReactNode;
}

export function EmptyState({ title, heading, children, action }: EmptyStateProps) {
  const Title = heading ?? "p";
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-4 py-12 text-center">
      <Title className="font-medium text-base">{title}</Title>
      {children !== undefined && <div className="text-mute">{children}</div>}
      {action !== undefined && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
