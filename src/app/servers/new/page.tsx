import type { Metadata } from "next";
import { QueryBoundary } from "@/app/_components/frame/query-boundary";
import { FormSkeleton } from "@/app/_components/servers/form/form-skeleton";
import { NewServerView } from "@/app/_components/servers/form/new-server-view";

export const metadata: Metadata = { title: "Add server · Servers" };

/** `?tab=paste` takes a whole mcp.json, `?template=` starts from a sample. */
export default function NewServerPage() {
  return (
    <QueryBoundary title="The form could not be shown" skeleton={<FormSkeleton />}>
      <NewServerView />
    </QueryBoundary>
  );
}
