import type { Metadata } from "next";
import { createLoader, parseAsString, type SearchParams } from "nuqs/server";
import { parseAsOrigins } from "@/app/_components/evals/words/word-origins";
import { WordsView } from "@/app/_components/evals/words/words-view";
import { TestsTabs } from "@/app/_components/tests/summary/tests-tabs";
import { Page } from "@/app/_kit/page";
import { prefetch, trpc } from "@/app/_trpc/server";

export const metadata: Metadata = { title: "Word test · Evals" };

const readRequest = createLoader({ toolset: parseAsString, suite: parseAsString, from: parseAsOrigins });

export default async function WordsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { toolset, suite, from } = await readRequest(searchParams);
  await prefetch(trpc.evals.words.queryOptions({ toolset, suite: suite ?? undefined, origins: from }));
  return (
    <Page title="Tests" tabs={<TestsTabs current="/evals/words" />} loads="the word test" skeleton="models">
      <WordsView />
    </Page>
  );
}
