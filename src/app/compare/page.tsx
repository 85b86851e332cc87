import type { Metadata } from "next";
import { createLoader, parseAsString, type SearchParams } from "nuqs/server";
import { BrowserCompareView } from "@/app/_components/executions/compare/browser-compare-view";
import { CompareView } from "@/app/_components/executions/compare/compare-view";
import { fitsInline } from "@/app/_components/executions/summary/inline-size";
import { Page } from "@/app/_kit/page";
import { isUnknown } from "@/app/_trpc/is-unknown";
import { handOver, readApart, trpc } from "@/app/_trpc/server";
import { ButtonLink } from "@/app/_ui/button";
import { ErrorState } from "@/app/_ui/error-state";
import { PageHeader } from "@/app/_ui/page-header";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { formatTitle } from "@/lib/contract/execution-kind";

const readIds = createLoader({ left: parseAsString, right: parseAsString });

interface ComparePageProps {
  searchParams: Promise<SearchParams>;
}

export async function generateMetadata({ searchParams }: ComparePageProps): Promise<Metadata> {
  const { left, right } = await readIds(searchParams);
  if (left === null || right === null) return { title: "Compare" };
  const found = await Promise.all([...new Set([left, right])].map(readExecution));
  const names = new Set(found.flatMap((each) => (each === null || each === "unknown" ? [] : [formatTitle(each)])));
  return { title: `${names.size === 1 ? [...names].join("") : `${left} and ${right}`} · Compare` };
}

export default async function ComparePage({ searchParams }: ComparePageProps) {
  const { left, right } = await readIds(searchParams);
  if (left === null || right === null) {
    return <CannotCompare message="The address must name two executions: left and right." />;
  }
  const ids = [...new Set([left, right])];
  const found = await Promise.all(ids.map(readExecution));
  const unknown = ids.filter((_, index) => found[index] === "unknown");
  if (unknown.length > 0) return <CannotCompare message={`No such execution: ${unknown.join(", ")}`} />;
  const executions = found.filter((each) => each !== null && each !== "unknown");
  const isInline = fitsInline(executions);
  if (isInline) for (const each of executions) handOver(trpc.executions.get.queryOptions({ id: each.id }), each);
  const View = isInline ? CompareView : BrowserCompareView;
  return (
    <Page loads="executions" skeleton="execution">
      <View key={`${left} ${right}`} leftId={left} rightId={right} />
    </Page>
  );
}

/** Null for a fault that the view asks again for. */
async function readExecution(id: string): Promise<ExecutionDetail | "unknown" | null> {
  try {
    return await readApart<ExecutionDetail>(trpc.executions.get.queryOptions({ id }));
  } catch (error) {
    return isUnknown(error) ? "unknown" : null;
  }
}

function CannotCompare({ message }: { message: string }) {
  return (
    <>
      <PageHeader title="Compare" />
      <ErrorState
        title="Nothing to compare"
        message={message}
        action={
          <ButtonLink href="/executions" variant="primary">
            Select two executions
          </ButtonLink>
        }
      />
    </>
  );
}
