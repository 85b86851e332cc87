import type { Metadata } from "next";
import { createLoader, parseAsString, type SearchParams } from "nuqs/server";
import { EvalsTabs } from "@/app/_components/evals/evals-tabs";
import { parseAsOrigins } from "@/app/_components/evals/words/word-origins";
import { WordsView } from "@/app/_components/evals/words/words-view";
import { Page } from "@/app/_kit/page";
import { prefetch, trpc } from "@/app/_trpc/server";

export const metadata: Metadata = { title: "Word test · Evals" };

const readRequest = createLoader({ toolset: parseAsString, suite: parseAsString, from: parseAsOrigins });

export default async function WordsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { toolset, suite, from } = await readRequest(searchParams);
  await prefetch(trpc.evals.words.queryOptions({ toolset, suite: suite ?? undefined, origins: from }));
  return (
    <Page title="Evals" tabs={<EvalsTabs current="/evals/words" />} loads="the word test" skeleton="models">
      <WordsView />
    </Page>
  );
}
