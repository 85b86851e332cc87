import type { Metadata } from "next";
import { createLoader, parseAsString, type SearchParams } from "nuqs/server";
import { CompareView } from "@/app/_components/executions/compare/compare-view";
import { Page } from "@/app/_kit/page";
import { isUnknown } from "@/app/_trpc/is-unknown";
import { fetchNow, trpc } from "@/app/_trpc/server";
import { ButtonLink } from "@/app/_ui/button";
import { ErrorState } from "@/app/_ui/error-state";
import { PageHeader } from "@/app/_ui/page-header";

const readIds = createLoader({ left: parseAsString, right: parseAsString });

interface ComparePageProps {
  searchParams: Promise<SearchParams>;
}

export async function generateMetadata({ searchParams }: ComparePageProps): Promise<Metadata> {
  const { left, right } = await readIds(searchParams);
  return { title: left !== null && right !== null ? `${left} and ${right} · Compare` : "Compare" };
}

export default async function ComparePage({ searchParams }: ComparePageProps) {
  const { left, right } = await readIds(searchParams);
  if (left === null || right === null) {
    return <CannotCompare message="The address must name two executions: left and right." />;
  }
  const unknown = (await Promise.all([left, right].map(unknownId))).filter((id) => id !== null);
  if (unknown.length > 0) {
    return <CannotCompare message={`No such execution: ${[...new Set(unknown)].join(", ")}`} />;
  }
  return (
    <Page loads="executions" skeleton="execution">
      <CompareView key={`${left} ${right}`} leftId={left} rightId={right} />
    </Page>
  );
}

/** Reads one for the view below; gives the id back where nothing has it. */
async function unknownId(id: string): Promise<string | null> {
  try {
    await fetchNow(trpc.executions.get.queryOptions({ id }));
    return null;
  } catch (error) {
    return isUnknown(error) ? id : null;
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
