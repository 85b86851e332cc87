import type { ReactNode } from "react";
import { ButtonLink } from "./button";
import { EmptyState } from "./empty-state";

export interface NotFoundStateProps {
  title: string;
  href: string;
  linkText: string;
  children: ReactNode;
}

/** A page whose subject does not exist, with a link to the list that has the others. */
export function NotFoundState({ title, href, linkText, children }: NotFoundStateProps) {
  return (
    <EmptyState
      heading="h1"
      title={title}
      action={
        <ButtonLink href={href} variant="primary">
          {linkText}
        </ButtonLink>
      }
    >
      {children}
    </EmptyState>
  );
}
