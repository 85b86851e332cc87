import type { Metadata } from "next";
import { NewServerView } from "@/app/_components/servers/form/new-server-view";
import { PageSkeleton } from "@/app/_kit/page-skeleton";
import { QueryBoundary } from "@/app/_kit/query-boundary";

export const metadata: Metadata = { title: "Add server · Servers" };

/** `?tab=paste` takes a whole mcp.json, `?template=` starts from a sample. */
export default function NewServerPage() {
  return (
    <QueryBoundary title="Couldn't load the form" skeleton={<PageSkeleton of="serverForm" />}>
      <NewServerView />
    </QueryBoundary>
  );
}
