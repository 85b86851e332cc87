import type { Metadata } from "next";
import { NewToolsetView } from "@/app/_components/toolsets/form/edit-toolset-view";
import { PageSkeleton } from "@/app/_kit/page-skeleton";
import { QueryBoundary } from "@/app/_kit/query-boundary";

export const metadata: Metadata = { title: "New toolset · Toolsets" };

export default function NewToolsetPage() {
  return (
    <QueryBoundary title="Couldn't load the form" skeleton={<PageSkeleton of="toolEditor" />}>
      <NewToolsetView />
    </QueryBoundary>
  );
}
