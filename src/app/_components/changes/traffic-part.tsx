import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import type { ReviewedChange } from "@/lib/contract/change-review";
import type { ConcernedCaller, TrafficClass, TrafficVerdict } from "@/lib/contract/change-verdict";
import { TRAFFIC_CLASSES } from "@/lib/contract/change-verdict";
import { formatCount, formatPlural } from "@/lib/format";
import { QuotedText } from "./quoted-text";
import { CLASS_HINTS, CLASS_WORDS } from "./verdict-words";

const SHOWN = 10;
const COLORS: Record<TrafficClass, string> = {
  accepted: "bg-ok",
  rejected: "bg-bad",
  alreadyInvalid: "bg-faint",
  undecidable: "bg-warn",
};

const FILLS: Record<TrafficClass, string> = {
  accepted: "text-ok",
  rejected: "text-bad",
  alreadyInvalid: "text-faint",
  undecidable: "text-warn",
};

interface TrafficPartProps {
  change: ReviewedChange;
  traffic: TrafficVerdict;
}

/** The traffic verdict on a change: calls by class, the reasons, and the clients and users of broken calls. */
export function TrafficPart({ change, traffic }: TrafficPartProps) {
  const { total, counts, reasons, fields, ignored, results, complete, suites } = traffic;
  const path = toCallsPath(change);
  return (
    <div className="flex min-w-0 flex-col gap-2.5">
      <ShareBar counts={counts} total={total} />
      <ul aria-label="Recorded calls by class" className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
        {TRAFFIC_CLASSES.filter((each) => counts[each] > 0 || each === "accepted" || each === "rejected").map(
          (each) => (
            <li key={each} className="flex items-center gap-1.5" title={CLASS_HINTS[each]}>
              <span aria-hidden className={`size-2 rounded-full ${COLORS[each]}`} />
              <span className="font-mono tabular-nums">{formatCount(counts[each])}</span>
              <span className="text-mute">{CLASS_WORDS[each]}</span>
            </li>
          ),
        )}
      </ul>
      <Counted label="Reasons" items={reasons.map(({ reason, calls }) => [reason, calls])} />
      <Counted
        label="Removed fields that clients received"
        items={fields.map(({ path: at, calls }) => [at, calls])}
        mono
      />
      <Counted label="Arguments now ignored" items={ignored.map(({ path: at, calls }) => [at, calls])} mono />
      <Callers
        label="Clients"
        callers={traffic.clients}
        toPath={({ id }) => `${path}&client=${encodeURIComponent(id)}`}
      />
      <Callers label="Users" callers={traffic.people} toPath={({ id }) => `${path}&actor=${encodeURIComponent(id)}`} />
      {suites !== undefined && suites.total > 0 && (
        <p className="text-mute text-xs">
          Tests and evals, not counted above:{" "}
          {suites.broken === 0 ? (
            `none of ${formatPlural(suites.total, "call")} would break`
          ) : (
            <>
              <Link href={`${path}&source=test,check`} className="rounded-xs underline">
                {formatCount(suites.broken)} of {formatPlural(suites.total, "call")}
              </Link>{" "}
              would break
            </>
          )}
          .
        </p>
      )}
      <p className="text-mute text-xs">
        {complete ? "All calls" : "The newest calls"} since <RelativeTime at={traffic.from} />, checked
        {change.judgedAt !== null && (
          <>
            {" "}
            <RelativeTime at={change.judgedAt} />
          </>
        )}
        {results.undecidable > 0 && `; ${formatPlural(results.undecidable, "result")} stored in part`}.
      </p>
      {traffic.examples.length > 0 && <BrokenCalls traffic={traffic} path={path} />}
    </div>
  );
}

/** Shares of one bar, without inline styles, which the policy of pages refuses. */
function ShareBar({ counts, total }: Pick<TrafficVerdict, "counts" | "total">) {
  let start = 0;
  return (
    <svg aria-hidden viewBox="0 0 100 1" preserveAspectRatio="none" className="h-1.5 w-full rounded-full bg-line">
      {TRAFFIC_CLASSES.map((each) => {
        const width = (counts[each] / Math.max(total, 1)) * 100;
        const x = start;
        start += width;
        return <rect key={each} x={x} width={width} height={1} fill="currentColor" className={FILLS[each]} />;
      })}
    </svg>
  );
}

/** The calls that the change breaks. */
function toCallsPath({ catalogName, hash }: ReviewedChange): string {
  return `/executions?tool=${encodeURIComponent(catalogName)}&change=${hash}`;
}

interface CountedProps {
  label: string;
  items: readonly (readonly [text: string, calls: number])[];
  mono?: boolean;
}

function Counted({ label, items, mono = false }: CountedProps) {
  if (items.length === 0) return null;
  return (
    <div>
      <h4 className="text-mute text-xs">{label}</h4>
      <ul aria-label={label}>
        {items.slice(0, SHOWN).map(([text, calls]) => (
          <li key={text} className="flex gap-2 [overflow-wrap:anywhere]">
            <span className="w-14 shrink-0 text-right font-mono text-xs leading-5 tabular-nums">
              {formatCount(calls)}
            </span>
            <span className={mono ? "min-w-0 font-mono text-xs leading-5" : "min-w-0"}>
              <QuotedText text={text} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface CallersProps {
  label: string;
  callers: readonly ConcernedCaller[];
  toPath: (caller: ConcernedCaller) => string;
}

function Callers({ label, callers, toPath }: CallersProps) {
  if (callers.length === 0) return null;
  const more = callers.length - SHOWN;
  return (
    <p className="text-xs [overflow-wrap:anywhere]">
      <span className="text-mute">{label}: </span>
      {callers.slice(0, SHOWN).map((caller, at) => (
        <span key={caller.id}>
          {at > 0 && ", "}
          <Link href={toPath(caller)} className="rounded-xs underline">
            {caller.name}
          </Link>{" "}
          <span className="text-mute tabular-nums">{formatCount(caller.calls)}</span>
        </span>
      ))}
      {more > 0 && ` and ${formatCount(more)} more`}
    </p>
  );
}

function BrokenCalls({ traffic: { examples, broken }, path }: { traffic: TrafficVerdict; path: string }) {
  return (
    <div>
      <div className="mb-1 flex flex-wrap items-baseline gap-x-3">
        <h4 className="text-mute text-xs">Calls that break</h4>
        <Link href={path} className="rounded-xs text-xs underline max-sm:py-3">
          {broken === 1 ? "Show this call" : `Show all ${formatCount(broken)}`} in Executions
        </Link>
      </div>
      <ScrollRegion label="Calls that break" className="max-h-52 rounded-md border border-line">
        <table className="w-full text-xs">
          <thead className="sr-only">
            <tr>
              <th>Call</th>
              <th>Client</th>
              <th>User</th>
              <th>Reason</th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {examples.map(({ executionId, at, client, person, reason }) => (
              <tr key={executionId}>
                <td className="whitespace-nowrap px-2 py-1">
                  <Link href={`/executions/${executionId}`} className="rounded-xs underline">
                    <RelativeTime at={at} />
                  </Link>
                </td>
                <td className="max-w-40 truncate px-2 py-1">{client ?? "–"}</td>
                <td className="max-w-32 truncate px-2 py-1 max-sm:hidden">{person ?? "–"}</td>
                <td className="w-full px-2 py-1 text-mute [overflow-wrap:anywhere]">
                  {reason !== null && <QuotedText text={reason} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </div>
  );
}
