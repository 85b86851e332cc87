import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { QueryState } from "@/app/_kit/query-state";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Card } from "@/app/_ui/card";
import { cx } from "@/app/_ui/class-names";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { CassettePlay, CassetteReport } from "@/lib/contract/cassette";
import { formatPlural } from "@/lib/format";
import { ReportLine } from "./report-line";

const TONES = { served: "ok", repeated: "neutral", missed: "bad", live: "warn", fault: "warn" } as const;
const MAX_SHOWN = 200;

/** The sessions that used a cassette; the chosen one with its report. */
export function Sessions({ name }: { name: string }) {
  const { data: sessions, refetch } = useSuspenseQuery(trpc.cassettes.sessions.queryOptions({ name }));
  useLiveRefresh(refetch, "cassettes");
  const [chosen, setChosen] = useQueryState("session", parseAsString.withDefault(""));
  return (
    <Card title="Sessions" about="Usage by client.">
      {sessions.length === 0 && (
        <p className="px-3.5 py-3 text-mute">Not used yet. Connect an agent to the address above.</p>
      )}
      <ul className="divide-y divide-line empty:hidden">
        {sessions.map(({ id, label, client, actor, lastAt, line, figures }) => {
          const isChosen = chosen === id || (label !== null && chosen === label);
          return (
            <li key={id}>
              <button
                type="button"
                aria-expanded={isChosen}
                onClick={() => void setChosen(isChosen ? null : id)}
                className="flex w-full flex-wrap items-baseline gap-x-3 gap-y-0.5 px-3.5 py-2 text-left hover:bg-rail"
              >
                <span className="min-w-0 flex-1 basis-56 [overflow-wrap:anywhere]">
                  <span className="font-medium font-mono text-xs">{label ?? client ?? "Unnamed client"}</span>{" "}
                  <span className="text-mute text-xs">
                    {label !== null && client !== null && `${client} · `}
                    {actor.name} · <RelativeTime at={lastAt} />
                  </span>
                </span>
                <ReportLine line={line} misses={figures.misses} />
              </button>
              {isChosen && <Report name={name} session={id} />}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

function Report({ name, session }: { name: string; session: string }) {
  const query = useQuery(trpc.cassettes.report.queryOptions({ name, session }));
  useLiveRefresh(query.refetch, "cassettes");
  return (
    <div className="border-line border-t bg-rail px-3.5 py-3">
      <QueryState query={query} what="the report" bars={["h-8", "h-8"]}>
        {(report) => <ReportDetails report={report} />}
      </QueryState>
    </div>
  );
}

function ReportDetails({ report: { plays, unusedCalls } }: { report: CassetteReport }) {
  // Users open the report to find misses, so they come first.
  const inOrder = [
    ...plays.filter(({ outcome }) => outcome === "missed"),
    ...plays.filter(({ outcome }) => outcome !== "missed"),
  ];
  return (
    <div className="flex flex-col gap-3 text-xs">
      <ol aria-label="Requests" className="divide-y divide-line rounded-md border border-line bg-panel">
        {inOrder.slice(0, MAX_SHOWN).map((play) => (
          <PlayRow key={play.ordinal} play={play} />
        ))}
      </ol>
      {inOrder.length > MAX_SHOWN && (
        <p className="text-mute">Only the first {MAX_SHOWN} requests are shown; the REST API has all of them.</p>
      )}
      {unusedCalls.length > 0 && (
        <details>
          <summary className="cursor-pointer">{formatPlural(unusedCalls.length, "unused recording")}</summary>
          <ul className="mt-1 flex flex-col gap-0.5">
            {unusedCalls.map(({ number, name, argumentsText }) => (
              <li key={number} className="font-mono [overflow-wrap:anywhere]">
                <span className="text-mute">{number}</span> {name} <span className="text-mute">{argumentsText}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function PlayRow({ play }: { play: CassettePlay }) {
  const { ordinal, name, outcome, recording, outOfOrder, argumentsText, message, differences } = play;
  return (
    <li data-row={ordinal} className="flex flex-wrap items-baseline gap-x-2 gap-y-1 px-2.5 py-1.5">
      <span className="w-6 shrink-0 text-right text-mute tabular-nums">{ordinal + 1}</span>
      <Badge tone={TONES[outcome]}>{outcome}</Badge>
      <span className="font-mono [overflow-wrap:anywhere]">{name}</span>
      {recording !== null && outcome !== "missed" && <span className="text-mute">call {recording}</span>}
      {outOfOrder && <Badge title="A later recording was served before it">out of order</Badge>}
      <span className="min-w-0 flex-1 basis-full truncate font-mono text-mute sm:basis-40">{argumentsText}</span>
      {message !== null && outcome !== "served" && (
        <p className={cx("basis-full [overflow-wrap:anywhere]", outcome === "missed" ? "text-bad" : "text-mute")}>
          {message}
        </p>
      )}
      {differences.length > 0 && (
        <dl className="grid basis-full grid-cols-[auto_minmax(0,1fr)_minmax(0,1fr)] gap-x-3 gap-y-0.5 font-mono">
          <dt className="text-mute">Path</dt>
          <dd className="text-mute">Recorded</dd>
          <dd className="text-mute">Received</dd>
          {differences.map(({ path, recorded, received }) => (
            <div key={path} className="contents">
              <dt className="[overflow-wrap:anywhere]">{path || "(all)"}</dt>
              <dd className="[overflow-wrap:anywhere]">{recorded ?? "Omitted"}</dd>
              <dd className="[overflow-wrap:anywhere]">{received ?? "Omitted"}</dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}
