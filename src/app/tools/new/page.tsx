import type { Metadata } from "next";
import { QueryBoundary } from "@/app/_components/frame/query-boundary";
import { EditorSkeleton } from "@/app/_components/tools/editor/editor-skeleton";
import { DuplicateToolView, EditToolView, NewToolView } from "@/app/_components/tools/editor/new-tool-view";
import { HydrateClient, prefetch, trpc } from "@/app/_trpc/server";
import { PageHeader } from "@/app/_ui/page-header";

interface NewToolPageProps {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

async function readAddress({ searchParams }: NewToolPageProps) {
  const { edit, from } = await searchParams;
  return {
    edit: typeof edit === "string" && edit !== "" ? edit : null,
    from: typeof from === "string" && from !== "" ? from : null,
  };
}

export async function generateMetadata(props: NewToolPageProps): Promise<Metadata> {
  const { edit } = await readAddress(props);
  return { title: edit === null ? "New tool · Tools" : `Edit ${edit} · Tools` };
}

/** `?edit=` changes a tool, `?from=` starts from a copy of one. */
export default async function NewToolPage(props: NewToolPageProps) {
  const { edit, from } = await readAddress(props);
  const source = edit ?? from;
  prefetch(trpc.tools.handlers.queryOptions());
  if (source !== null) prefetch(trpc.tools.get.queryOptions({ name: source }));
  return (
    <HydrateClient>
      <div className="flex h-full flex-col">
        <PageHeader title={edit === null ? "New tool" : `Edit ${edit}`} />
        <QueryBoundary key={`${edit}/${from}`} title="The definition could not be read" skeleton={<EditorSkeleton />}>
          {edit !== null && <EditToolView name={edit} />}
          {edit === null && from !== null && <DuplicateToolView name={from} />}
          {edit === null && from === null && <NewToolView />}
        </QueryBoundary>
      </div>
    </HydrateClient>
  );
}
