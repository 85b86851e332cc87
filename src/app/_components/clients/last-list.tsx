import { useState } from "react";
import { Badge } from "@/app/_ui/badge";
import { Card } from "@/app/_ui/card";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import { ShowMore } from "@/app/_ui/show-more";
import type { ClientDetail, LeftOut, ListChanges } from "@/lib/contract/client";
import { formatCount, formatPlural } from "@/lib/format";
import { REASON_LABELS } from "./client-words";
import { toListPath } from "./list-path";

const STEP = 60;

/** The list that a client fetched last: its tools, the omitted ones with the reason, and the changes since. */
export function LastList({ client }: { client: ClientDetail }) {
  const { lastList, listedAt, changes } = client;
  if (lastList === null || listedAt === null) {
    return (
      <Card title="Last list">
        <p className="px-3.5 py-3 text-mute">The client has not fetched the list of tools.</p>
      </Card>
    );
  }
  const { tools, leftOut, leftOutCount } = lastList;
  return (
    <Card
      title="Last list"
      about={
        <>
          <Link href={toListPath(client.id, lastList.hash)} className="rounded-xs underline">
            {formatPlural(tools.length, "tool")}
          </Link>
          , fetched <RelativeTime at={listedAt} />
          {leftOutCount > 0 && `; ${formatCount(leftOutCount)} left out`}
        </>
      }
    >
      {changes !== null && <Changes changes={changes} />}
      <Names label="Tools of the list" names={tools.map(({ name }) => name)} />
      {leftOut.length > 0 && <LeftOutList items={leftOut} />}
    </Card>
  );
}

function Changes({ changes: { added, removed, changed } }: { changes: ListChanges }) {
  const parts = [
    ["Added", added],
    ["Removed", removed],
    ["Changed", changed],
  ] as const;
  if (parts.every(([, names]) => names.length === 0)) {
    return <p className="border-line border-b px-3.5 py-2 text-mute text-xs">The list is the same now.</p>;
  }
  return (
    <section aria-label="Changed since" className="border-line border-b bg-warn-bg px-3.5 py-2 text-xs">
      <h3 className="font-medium">Changed since: the client has not fetched the list again</h3>
      {parts.map(
        ([label, names]) =>
          names.length > 0 && (
            <p key={label} className="[overflow-wrap:anywhere]">
              {label} {formatCount(names.length)}: <span className="font-mono">{names.slice(0, 12).join(", ")}</span>
              {names.length > 12 && " …"}
            </p>
          ),
      )}
    </section>
  );
}

function Names({ label, names }: { label: string; names: readonly string[] }) {
  const [shown, setShown] = useState(STEP);
  if (names.length === 0) return <p className="px-3.5 py-3 text-mute">The list was empty.</p>;
  return (
    <>
      <ul aria-label={label} className="grid gap-x-4 gap-y-0.5 px-3.5 py-2.5 sm:grid-cols-2 lg:grid-cols-3">
        {names.slice(0, shown).map((name) => (
          <li key={name} className="font-mono text-xs [overflow-wrap:anywhere]">
            {name}
          </li>
        ))}
      </ul>
      <ShowMore rest={names.length - shown} onMore={() => setShown(shown + STEP)} />
    </>
  );
}

export function LeftOutList({ items }: { items: readonly LeftOut[] }) {
  const [shown, setShown] = useState(STEP);
  return (
    <section aria-label="Left out" className="border-line border-t">
      <h3 className="px-3.5 pt-2 font-medium">Left out</h3>
      <ul className="divide-y divide-line">
        {items.slice(0, shown).map(({ name, kind, reason, detail }) => (
          <li key={`${kind} ${name}`} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-3.5 py-1.5 text-xs">
            <Link
              href={kind === "server" ? `/servers/${encodeURIComponent(name)}` : `?tool=${encodeURIComponent(name)}`}
              className="font-mono hover:underline [overflow-wrap:anywhere]"
            >
              {name}
            </Link>
            <Badge>{REASON_LABELS[reason]}</Badge>
            <span className="min-w-0 text-mute [overflow-wrap:anywhere]">{detail}</span>
          </li>
        ))}
      </ul>
      <ShowMore rest={items.length - shown} onMore={() => setShown(shown + STEP)} />
    </section>
  );
}
