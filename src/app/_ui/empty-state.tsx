import type { ReactNode } from "react";
import type { Permission } from "@/lib/contract/access";
import { ButtonLink } from "./button";

interface EmptyStateProps {
  title: string;
  /** The heading's level where this is what the page is about. */
  heading?: "h1" | "h2";
  children?: ReactNode;
  /** The page with the next step. */
  next?: { href: string; text: string; needs?: Permission };
  /** Other steps: buttons or links. */
  action?: ReactNode;
}

export function EmptyState({ title, heading, children, next, action }: EmptyStateProps) {
  const Title = heading ?? "p";
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-4 py-12 text-center">
      <Title className="font-medium text-base">{title}</Title>
      {children !== undefined && <div className="text-mute">{children}</div>}
      <div className="mt-2 flex flex-wrap justify-center gap-2 empty:hidden">
        {next && (
          <ButtonLink needs={next.needs} href={next.href} variant="primary">
            {next.text}
          </ButtonLink>
        )}
        {action}
      </div>
    </div>
  );
}
