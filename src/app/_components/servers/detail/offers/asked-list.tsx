"use client";

import type { ReactNode } from "react";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { useDenial } from "@/app/_ui/access";
import { EmptyState } from "@/app/_ui/empty-state";
import { ErrorState } from "@/app/_ui/error-state";
import type { ServerDetail } from "@/lib/contract/server";

export interface AskedListProps<T> {
  server: ServerDetail;
  /** What is asked for, as the server's capability and as people say it: `resources`. */
  what: "resources" | "prompts";
  query: { data: T[] | undefined; error: { message: string } | null; refetch: () => Promise<unknown> };
  children: (items: T[]) => ReactNode;
}

/** What only a connected server can tell: the ways in which it may not. */
export function AskedList<T>({ server, what, query, children }: AskedListProps<T>) {
  const { status, capabilities } = server.state;
  const denial = useDenial("run");
  if (query.data !== undefined && query.data.length > 0) return children(query.data);
  if (status !== "connected") {
    return (
      <EmptyState heading="h2" title="Not connected">
        Its {what} can be read while it is connected.
      </EmptyState>
    );
  }
  if (!capabilities.includes(what) && (query.data === undefined || query.data.length === 0)) {
    return (
      <EmptyState heading="h2" title={`This server offers no ${what}`}>
        The server does not declare any.
      </EmptyState>
    );
  }
  if (denial !== null) {
    return (
      <EmptyState heading="h2" title={`You can't read its ${what}`}>
        {denial}
      </EmptyState>
    );
  }
  if (query.error !== null) {
    return (
      <ErrorState
        heading="h2"
        title={`The ${what} could not be read`}
        message={query.error.message}
        onRetry={() => void query.refetch()}
      />
    );
  }
  if (query.data === undefined) return <ViewSkeleton of="serverTab" />;
  return (
    <EmptyState heading="h2" title={`No ${what}`}>
      The server says that it can have {what}, and has none now.
    </EmptyState>
  );
}

/** Whether asking makes sense at all. */
export function canAsk(server: ServerDetail, what: "resources" | "prompts"): boolean {
  return server.state.status === "connected" && server.state.capabilities.includes(what);
}
