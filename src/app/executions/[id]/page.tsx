import type { Metadata } from "next";
import { BrowserExecutionView } from "@/app/_components/executions/detail/browser-execution-view";
import { ExecutionView } from "@/app/_components/executions/detail/execution-view";
import { fitsInline } from "@/app/_components/executions/summary/inline-size";
import { Page } from "@/app/_kit/page";
import { handOver, readOrNotFound, trpc } from "@/app/_trpc/server";
import type { ExecutionDetail } from "@/lib/contract/execution";

interface ExecutionPageProps {
  params: Promise<{ id: string }>;
}

export async function generateMetadata({ params }: ExecutionPageProps): Promise<Metadata> {
  const { id } = await params;
  return { title: `${id} · Executions` };
}

export default async function ExecutionPage({ params }: ExecutionPageProps) {
  const { id } = await params;
  const query = trpc.executions.get.queryOptions({ id });
  const execution = await readOrNotFound<ExecutionDetail>(query);
  if (execution !== null && !fitsInline([execution])) {
    return (
      <Page loads="the execution" skeleton="execution">
        <BrowserExecutionView key={id} id={id} />
      </Page>
    );
  }
  if (execution !== null) handOver(query, execution);
  return (
    <Page loads="the execution" skeleton="execution">
      <ExecutionView key={id} id={id} />
    </Page>
  );
}
