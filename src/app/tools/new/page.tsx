import type { Metadata } from "next";
import {
  DuplicateToolView,
  EditToolView,
  MockOfToolView,
  NewToolView,
} from "@/app/_components/tools/editor/new-tool-view";
import { Page } from "@/app/_kit/page";
import { fetchNow, prefetch, trpc } from "@/app/_trpc/server";
import type { ToolDetail } from "@/lib/contract/catalog-tool";
import type { ExecutionPage } from "@/lib/contract/execution";

interface NewToolPageProps {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

async function readAddress({ searchParams }: NewToolPageProps) {
  const { edit, from, execution } = await searchParams;
  const filled = (value: string | string[] | undefined) => (typeof value === "string" && value !== "" ? value : null);
  return { edit: filled(edit), from: filled(from), execution: filled(execution) };
}

export async function generateMetadata(props: NewToolPageProps): Promise<Metadata> {
  const { edit } = await readAddress(props);
  return { title: edit === null ? "New tool · Tools" : `Edit ${edit} · Tools` };
}

/**
 * Returns the definition to start from: a copy of a tool, or a mock made of a call or of a server's tool, which cannot
 * be created here.
 */
async function readSource(name: string, chosen: string | null): Promise<{ mock: boolean; executionId: string | null }> {
  try {
    const tool = await fetchNow<ToolDetail>(trpc.tools.get.queryOptions({ name }));
    if (tool.server === null && chosen === null) return { mock: false, executionId: null };
    const filter = { tool: [name], status: ["succeeded" as const] };
    const newest = async () =>
      (await fetchNow<ExecutionPage>(trpc.executions.list.queryOptions({ filter, limit: 1 }))).items[0]?.id ?? null;
    const executionId = chosen ?? (await newest());
    await prefetch(executionId !== null && trpc.executions.get.queryOptions({ id: executionId }));
    return { mock: true, executionId };
  } catch {
    // The view reads again, shows the problem and offers to retry.
    return { mock: false, executionId: null };
  }
}

/** `?edit=` changes a tool, `?from=` starts from a copy of one; `&execution=` names the answer that its mock gives. */
export default async function NewToolPage(props: NewToolPageProps) {
  const { edit, from, execution } = await readAddress(props);
  const source = edit ?? from;
  const copied = edit === null && from !== null ? await readSource(from, execution) : null;
  await prefetch(trpc.tools.handlers.queryOptions(), source !== null && trpc.tools.get.queryOptions({ name: source }));
  return (
    <Page
      key={`${edit}/${from}`}
      title={edit === null ? "New tool" : `Edit ${edit}`}
      loads="the definition"
      skeleton="toolEditor"
      fill
    >
      {edit !== null && <EditToolView name={edit} />}
      {copied !== null && from !== null && !copied.mock && <DuplicateToolView name={from} />}
      {copied !== null && from !== null && copied.mock && (
        <MockOfToolView name={from} executionId={copied.executionId} />
      )}
      {edit === null && from === null && <NewToolView />}
    </Page>
  );
}
