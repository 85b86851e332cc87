import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { EditToolsetView } from "@/app/_components/toolsets/form/edit-toolset-view";
import { PageSkeleton } from "@/app/_kit/page-skeleton";
import { QueryBoundary } from "@/app/_kit/query-boundary";
import { decodeSegment } from "@/app/_trpc/decode-segment";
import { fetchOrNotFound, HydrateClient, trpc } from "@/app/_trpc/server";

interface ToolsetPageProps {
  params: Promise<{ name: string }>;
}

export async function generateMetadata({ params }: ToolsetPageProps): Promise<Metadata> {
  return { title: `${decodeSegment((await params).name) ?? "Not found"} · Toolsets` };
}

export default async function ToolsetPage({ params }: ToolsetPageProps) {
  const name = decodeSegment((await params).name);
  if (name === null) notFound();
  await fetchOrNotFound(trpc.toolsets.get.queryOptions({ name }));
  return (
    <HydrateClient>
      <QueryBoundary title={`Couldn't load the toolset ${name}`} skeleton={<PageSkeleton of="toolEditor" />}>
        <EditToolsetView key={name} name={name} />
      </QueryBoundary>
    </HydrateClient>
  );
}
