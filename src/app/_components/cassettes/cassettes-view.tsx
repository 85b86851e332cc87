"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import type { Column } from "@/app/_kit/data-table";
import { FileChoice } from "@/app/_kit/file-choice";
import { countColumn, nameColumn, textColumn } from "@/app/_kit/list/columns";
import { type ListDeclaration, ResourceList } from "@/app/_kit/list/resource-list";
import { useAction } from "@/app/_kit/use-action";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { EmptyState } from "@/app/_ui/empty-state";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { CassetteSummary } from "@/lib/contract/cassette";
import { formatPlural } from "@/lib/format";
import { ReportLine } from "./report-line";

const STEP = 100;

const COLUMNS: readonly Column<CassetteSummary>[] = [
  nameColumn("Name", {
    name: ({ name }) => name,
    href: ({ name }) => `/cassettes/${encodeURIComponent(name)}`,
    about: ({ notes }) => notes,
  }),
  textColumn("Servers", ({ servers }) => servers.join(", "), {
    from: "md",
    cellClass: "font-mono [overflow-wrap:anywhere]",
  }),
  countColumn("Calls", ({ callCount }) => callCount, { noun: "call", from: "md", className: "pr-6" }),
  countColumn("Tools", ({ toolCount }) => toolCount, { noun: "tool", from: "md", className: "pr-6" }),
  textColumn("Newest session", renderSession, {
    from: "md",
    cellClass: "w-full",
    phone: ({ lastSession }) => lastSession && <ReportLine line={lastSession.line} misses={lastSession.misses} />,
  }),
];

function renderSession({ lastSession }: CassetteSummary) {
  if (lastSession === null) return <span className="text-mute text-xs">Not used yet</span>;
  return (
    <>
      <ReportLine line={lastSession.line} misses={lastSession.misses} />{" "}
      <RelativeTime at={lastSession.lastAt} className="text-mute text-xs" />
    </>
  );
}

const MEANING = "A cassette answers an agent's calls from recordings; no tool runs.";

const CASSETTE_LIST: Omit<ListDeclaration<CassetteSummary>, "noMatch"> = {
  label: "Cassettes",
  look: "catalog",
  toKey: ({ name }) => name,
  empty: (
    <EmptyState
      heading="h2"
      title="No cassettes yet"
      next={{ href: "/executions", text: "Record from Executions", needs: "edit" }}
    >
      {MEANING} Filter or select executions, then record a cassette of them.
    </EmptyState>
  ),
};

export function CassettesView() {
  const { data: cassettes, refetch } = useSuspenseQuery(trpc.cassettes.list.queryOptions());
  useLiveRefresh(refetch, "cassettes");
  const status = `${formatPlural(cassettes.length, "cassette")}. ${MEANING}`;
  return <ResourceList {...CASSETTE_LIST} columns={COLUMNS} rows={cassettes} status={status} step={STEP} />;
}

/** Imports the file of a cassette, and opens the cassette. */
export function ImportCassette() {
  const router = useRouter();
  const importing = useAction(trpc.cassettes.import, {
    stale: [trpc.cassettes.list],
    done: ({ name }) => `Imported ${name}`,
    onDone: ({ name }) => router.push(`/cassettes/${encodeURIComponent(name)}`),
    failed: "Couldn't import the file",
    report: "toast",
  });
  if (useDenial("edit") !== null) return null;
  return <FileChoice accept=".jsonl,application/jsonl" onText={(text) => importing.mutate({ text })} />;
}
