import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { EditToolsetView } from "@/app/_components/toolsets/form/edit-toolset-view";
import { Page } from "@/app/_kit/page";
import { decodeSegment } from "@/app/_trpc/decode-segment";
import { fetchOrNotFound, trpc } from "@/app/_trpc/server";

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
    <Page loads={`the toolset ${name}`} skeleton="toolEditor">
      <EditToolsetView key={name} name={name} />
    </Page>
  );
}
