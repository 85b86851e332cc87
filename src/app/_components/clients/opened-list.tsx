import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { useState } from "react";
import { ChangeBadge } from "@/app/_components/tools/summary/change-badge";
import { QueryState } from "@/app/_kit/query-state";
import { trpc } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { NativeSelect } from "@/app/_ui/field";
import { JsonText } from "@/app/_ui/json-text";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { RelativeTime } from "@/app/_ui/relative-time";
import { ShowMore } from "@/app/_ui/show-more";
import { useTimeZone } from "@/app/_ui/time-zone";
import type { ClientDetail, ClientList, ListComparison } from "@/lib/contract/client";
import { formatAbsoluteTime, formatCount, formatPlural } from "@/lib/format";
import { formatJson } from "@/lib/json/format-json";
import { LeftOutList } from "./last-list";

const DiffView = onDemand(() => import("@/app/_components/executions/diff/diff-view"), "DiffView", { onServer: true });
const STEP = 60;

/** A list that the client was given, and the difference from another one; both are in the address. */
export function OpenedList({ client }: { client: ClientDetail }) {
  const [hash, setHash] = useQueryState("list", parseAsString);
  const [other, setOther] = useQueryState("with", parseAsString);
  const { id } = client;
  const query = useQuery({
    ...trpc.clients.readList.queryOptions({ client: id, hash: hash ?? "none" }),
    enabled: hash !== null,
  });
  if (hash === null) return null;
  const close = (): void => {
    void setHash(null);
    void setOther(null);
  };
  return (
    <Card
      title={`List ${hash.slice(0, 8)}`}
      label="Opened list"
      action={
        <span className="flex flex-wrap items-center gap-2">
          <OtherList
            client={client}
            hash={query.data?.hash ?? hash}
            other={other}
            onChoose={(next) => void setOther(next)}
          />
          <Button onClick={close}>Close</Button>
        </span>
      }
    >
      <QueryState query={query} what="the list" bars={["h-24"]}>
        {(list) => (
          <>
            <ListFacts list={list} />
            {other !== null && <Comparison id={id} from={other} to={list.hash} />}
            <Entries key={list.hash} list={list} />
            {list.leftOut.length > 0 && <LeftOutList items={list.leftOut} />}
          </>
        )}
      </QueryState>
    </Card>
  );
}

interface OtherListProps {
  client: ClientDetail;
  hash: string;
  other: string | null;
  onChoose: (hash: string | null) => void;
}

/** Every other list of the client, the newest first. */
function OtherList({ client, hash, other, onChoose }: OtherListProps) {
  const zone = useTimeZone();
  const times = new Map<string, { at: number; tools: number }>();
  for (const { lastAt, tools, hash: each } of client.items.flatMap(({ listings }) => listings)) {
    if (each !== hash && lastAt > (times.get(each)?.at ?? 0)) times.set(each, { at: lastAt, tools });
  }
  if (times.size === 0) return null;
  const others = [...times].sort(([, one], [, two]) => two.at - one.at);
  const options = others.map(
    ([each, { at, tools }]) =>
      [each, `${formatAbsoluteTime(at, zone)} · ${formatPlural(tools, "tool")} · ${each.slice(0, 8)}`] as const,
  );
  return (
    <NativeSelect
      aria-label="Compare with"
      className="w-auto! max-w-60"
      value={other ?? ""}
      onChange={({ target }) => onChoose(target.value === "" ? null : target.value)}
      options={[["", "Compare with…"], ...options]}
    />
  );
}

function ListFacts({ list }: { list: ClientList }) {
  const { tools, count, firstAt, lastAt, addresses, hash } = list;
  return (
    <p className="border-line border-b px-3.5 py-2 text-mute text-xs [overflow-wrap:anywhere]">
      {formatPlural(tools.length, "tool")}, fetched {count === 1 ? "once" : `${formatCount(count)} times`}: first{" "}
      <RelativeTime at={firstAt} />, last <RelativeTime at={lastAt} /> ·{" "}
      <code className="font-mono">{addresses.join(", ")}</code> · <code className="font-mono">{hash}</code>
    </p>
  );
}

function Entries({ list }: { list: ClientList }) {
  const [shown, setShown] = useState(STEP);
  if (list.tools.length === 0) return <p className="px-3.5 py-3 text-mute">The list was empty.</p>;
  return (
    <>
      <ul aria-label="Tools of the opened list" className="divide-y divide-line">
        {list.tools.slice(0, shown).map((tool) => (
          <li key={tool.name}>
            <Entry tool={tool} />
          </li>
        ))}
      </ul>
      <ShowMore rest={list.tools.length - shown} onMore={() => setShown(shown + STEP)} />
    </>
  );
}

function Entry({ tool: { name, tool, entry } }: { tool: ClientList["tools"][number] }) {
  const [isOpen, setIsOpen] = useState(false);
  const description = readDescription(entry);
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className="cursor-pointer px-3.5 py-1.5 text-xs hover:bg-rail">
        <span className="font-mono [overflow-wrap:anywhere]">{name}</span>{" "}
        <span className="text-mute">{description.slice(0, 160)}</span>
      </summary>
      {isOpen && (
        <div className="flex flex-col gap-1.5 px-3.5 pb-2.5">
          <p className="text-xs">
            <Link href={`/tools/${encodeURIComponent(tool)}`} className="rounded-xs underline">
              Open {tool}
            </Link>
          </p>
          {entry === null ? (
            <p className="text-mute text-xs">The entry was not kept: it is of an earlier version, or too long.</p>
          ) : (
            <JsonText text={formatJson(entry)} label={`Entry of ${name}`} wrap />
          )}
        </div>
      )}
    </details>
  );
}

function readDescription(entry: unknown): string {
  const { description } = (entry ?? {}) as { description?: unknown };
  return typeof description === "string" ? description : "";
}

function Comparison({ id, from, to }: { id: string; from: string; to: string }) {
  const query = useQuery(trpc.clients.compareLists.queryOptions({ client: id, hash: from, other: to }));
  return (
    <section aria-label="Comparison" className="border-line border-b px-3.5 py-2.5">
      <QueryState query={query} what="the comparison" bars={["h-10"]}>
        {(comparison) => <Differences key={`${from} ${to}`} comparison={comparison} />}
      </QueryState>
    </section>
  );
}

function Differences({ comparison: { added, removed, changed, from } }: { comparison: ListComparison }) {
  const parts = [
    ["Added", added],
    ["Removed", removed],
  ] as const;
  if (added.length + removed.length + changed.length === 0) {
    return <p className="text-mute text-xs">Both lists have the same tools; what they leave out differs.</p>;
  }
  return (
    <div className="flex min-w-0 flex-col gap-1.5 text-xs">
      <h3 className="font-medium">Since {from.slice(0, 8)}</h3>
      {parts.map(
        ([label, names]) =>
          names.length > 0 && (
            <p key={label} className="[overflow-wrap:anywhere]">
              {label} {formatCount(names.length)}: <span className="font-mono">{names.join(", ")}</span>
            </p>
          ),
      )}
      <ul aria-label="Changed tools" className="flex flex-col gap-1">
        {changed.map((change) => (
          <li key={change.name}>
            <ChangedEntry change={change} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function ChangedEntry({
  change: { name, kind, details, before, after },
}: {
  change: ListComparison["changed"][number];
}) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className="cursor-pointer [overflow-wrap:anywhere]">
        <span className="font-mono">{name}</span> {kind === null ? <Badge>changed</Badge> : <ChangeBadge kind={kind} />}{" "}
        <span className="text-mute">{details.join("; ")}</span>
      </summary>
      {isOpen && before !== null && after !== null && (
        <DiffView label={name} left={formatJson(before)} right={formatJson(after)} />
      )}
    </details>
  );
}
