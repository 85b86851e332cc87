import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { DateButton, DatePicker } from "@/app/_kit/date/date-picker";
import { QueryState } from "@/app/_kit/query-state";
import { useNow } from "@/app/_kit/use-now";
import { trpc } from "@/app/_trpc/client";
import { Card } from "@/app/_ui/card";
import { ClockTime } from "@/app/_ui/clock-time";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import { useTimeZone } from "@/app/_ui/time-zone";
import type { ClientDetail, ClientListSummary } from "@/lib/contract/client";
import { formatPlural, getDayBounds, toLocalIso } from "@/lib/format";
import { toListPath } from "./list-path";

const toDay = (at: number, zone: string): string => toLocalIso(at, zone).slice(0, 10);
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The lists that a client received on a day, each a link to its contents. */
export function ListsByDay({ client }: { client: ClientDetail }) {
  const zone = useTimeZone();
  const [chosen, setChosen] = useQueryState("day", parseAsString.withDefault(""));
  const now = useNow(60_000);
  const day = DAY.test(chosen) ? chosen : toDay(client.listedAt ?? client.seenAt, zone);
  const { since, until } = getDayBounds(day, zone);
  const { id } = client;
  const query = useQuery(trpc.clients.lists.queryOptions({ client: id, since, until: until + 1 }));
  return (
    <Card
      title="Lists by day"
      about="What the client was given, with names, descriptions and schemas. Kept for 30 days."
      action={
        <DatePicker
          label="Day"
          by="day"
          value={since}
          max={now}
          onPick={(at) => void setChosen(at === null ? null : toDay(at, zone))}
          trigger={<DateButton label="Day" by="day" value={since} />}
        />
      }
    >
      <QueryState query={query} what="the lists" bars={["h-8"]}>
        {(lists) => (lists.length === 0 ? <Earlier id={id} until={since} /> : <Rows id={id} lists={lists} clock />)}
      </QueryState>
    </Card>
  );
}

/** Links to the last list that the client fetched before this day. */
function Earlier({ id, until }: { id: string; until: number }) {
  const { data } = useQuery(trpc.clients.lists.queryOptions({ client: id, until }));
  const [newest] = data ?? [];
  return (
    <>
      <p className="px-3.5 py-2 text-mute">
        The client fetched no list on this day
        {newest === undefined ? ", and none before it." : ". It still had the one that it fetched last before:"}
      </p>
      {newest !== undefined && <Rows id={id} lists={[newest]} />}
    </>
  );
}

interface RowsProps {
  id: string;
  lists: readonly ClientListSummary[];
  /** Shows the time of day, where the day is known. */
  clock?: boolean;
}

function Rows({ id, lists, clock = false }: RowsProps) {
  return (
    <ul aria-label="Lists of the day" className="divide-y divide-line">
      {lists.map(({ hash, sessionId, address, tools, count, firstAt, lastAt }) => (
        <li
          key={`${sessionId} ${hash}`}
          className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-3.5 py-1.5 text-xs"
        >
          <Link href={toListPath(id, hash)} className="rounded-xs underline max-sm:py-2.75" title={`List ${hash}`}>
            {formatPlural(tools, "tool")}
          </Link>
          <span className="text-mute tabular-nums">
            {clock ? (
              <>
                <ClockTime at={firstAt} />
                {lastAt > firstAt && (
                  <>
                    {" "}
                    – <ClockTime at={lastAt} />
                  </>
                )}
              </>
            ) : (
              <RelativeTime at={lastAt} />
            )}
            {count > 1 && `, fetched ${count} times`}
          </span>
          <code className="ml-auto min-w-0 font-mono text-mute [overflow-wrap:anywhere] max-sm:ml-0">{address}</code>
        </li>
      ))}
    </ul>
  );
}
