import type { ReactNode } from "react";
import { HydrateClient } from "@/app/_trpc/server";
import { PageHeader } from "@/app/_ui/page-header";
import { PageSkeleton, type SkeletonName } from "./page-skeleton";
import { QueryBoundary } from "./query-boundary";

export interface PageProps {
  /** The title of the head; a view without one has its own. */
  title?: string;
  actions?: ReactNode;
  /** The tabs below the head. */
  tabs?: ReactNode;
  /** The noun that the view reads: `Couldn't load {loads}`. */
  loads: string;
  skeleton: SkeletonName;
  /** The view fills the window and scrolls inside; on a phone the page scrolls. */
  fill?: boolean;
  children: ReactNode;
}

/** A page around a view: its head, what the server has read for it, its skeleton, and its error with a retry. */
export function Page({ title, actions, tabs, loads, skeleton, fill = false, children }: PageProps) {
  const page = (
    <>
      {title !== undefined && (
        <PageHeader title={title} actions={actions}>
          {tabs}
        </PageHeader>
      )}
      <QueryBoundary title={`Couldn't load ${loads}`} skeleton={<PageSkeleton of={skeleton} />}>
        {children}
      </QueryBoundary>
    </>
  );
  return (
    <HydrateClient>{fill ? <div className="flex flex-col sm:h-full sm:min-h-0">{page}</div> : page}</HydrateClient>
  );
}
