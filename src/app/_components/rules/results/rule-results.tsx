import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect, useEffectEvent, useState } from "react";
import { RULES_PATH, toMatchesPath } from "@/app/_components/rules/summary/rule-paths";
import { QueryState } from "@/app/_kit/query-state";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { Link } from "@/app/_ui/link";
import { Segmented } from "@/app/_ui/segmented";
import type { Permission } from "@/lib/contract/access";
import type { CallRule } from "@/lib/contract/call-rule";
import type { RuleEffectKind } from "@/lib/contract/call-rule-words";
import type { RuleResults } from "@/lib/contract/rule-insight";
import { formatCount, formatPlural } from "@/lib/format";
import { describeResults } from "@/lib/rules/insight-words";

const PERIODS = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
] as const;

interface RuleResultsCardProps {
  rule: CallRule;
  /** The permission to turn the rule on. */
  needs: Permission;
  /** The form has changes that are not saved. */
  isDirty: boolean;
}

/** What became of the calls that a rule matched: would it have stopped work that went well? */
export function RuleResultsCard({ rule, needs, isDirty }: RuleResultsCardProps) {
  const [days, setDays] = useState<"7" | "30">("7");
  const input = { id: rule.id, days: Number(days) };
  const query = useQuery(trpc.rules.results.queryOptions(input, { trpc: { abortOnUnmount: true } }));
  useReview(rule, query.data !== undefined);
  return (
    <Card
      title="Results"
      action={<Segmented label="Period of the results" value={days} options={PERIODS} onChange={setDays} />}
    >
      <div className="flex min-w-0 flex-col gap-3 p-3.5">
        <QueryState query={query} what="the results" bars={["h-5 w-10/12", "h-16"]}>
          {(results) => <Results rule={rule} results={results} days={days} />}
        </QueryState>
        {rule.state === "record" && <TurnOn rule={rule} needs={needs} isDirty={isDirty} />}
      </div>
    </Card>
  );
}

/** Stores that an editor has reviewed the results of the rule. */
function useReview({ id, state, reviewedAt }: CallRule, isShown: boolean): void {
  const isDenied = useDenial("edit") !== null;
  const reviewing = useAction(trpc.rules.markReviewed, { stale: [trpc.rules.list] });
  const markReviewed = useEffectEvent(() => reviewing.mutate({ id }));
  const isDue = state === "record" && isShown && !isDenied && (reviewedAt === null || reviewedAt < Date.now() - DAY_MS);
  // Outside system: the server, which keeps when the results were looked at.
  useEffect(() => {
    if (isDue) markReviewed();
  }, [isDue]);
}

const DAY_MS = 86_400_000;

const RECORDED: Record<RuleEffectKind, string> = {
  allow: "It would have allowed",
  deny: "It would have denied",
  ask: "It would have asked for",
  limit: "It counted",
  price: "It would have priced",
  redact: "It would have redacted results of",
  block: "It would have blocked results of",
  hook: "It would have asked its hook for",
  route: "It would have routed",
};
const DECIDED: Record<RuleEffectKind, string> = {
  allow: "It allowed",
  deny: "It denied",
  ask: "It asked for",
  limit: "It counted",
  price: "It priced",
  redact: "It redacted results of",
  block: "It blocked results of",
  hook: "It asked its hook for",
  route: "It routed",
};

interface ResultsProps {
  rule: CallRule;
  results: RuleResults;
  days: "7" | "30";
}

function Results({ rule, results, days }: ResultsProps) {
  const { recorded, decided, earlier, hidden, more } = results;
  const { kind } = rule.effect;
  if (recorded.matched + decided.matched === 0) {
    return <p className="text-mute">No calls were matched in the last {days} days.</p>;
  }
  return (
    <>
      <div className="flex flex-col gap-1">
        {decided.matched > 0 && (
          <p className="font-medium">
            {DECIDED[kind]} {describeResults(decided)}.
            {decided.approved > 0 && ` A user approved ${formatPlural(decided.approved, "call")}.`}
          </p>
        )}
        {recorded.matched > 0 && (
          <p className="font-medium">
            {RECORDED[kind]} {describeResults(recorded)}.
            {recorded.approved > 0 && ` A user approved ${formatPlural(recorded.approved, "call")}.`}
          </p>
        )}
        {earlier > 0 && (
          <p className="text-mute text-xs">
            An earlier version of the rule matched {formatPlural(earlier, "call")} of these.
          </p>
        )}
        {hidden > 0 && (
          <p className="text-mute text-xs">Not counted: {formatPlural(hidden, "call")} that you cannot read.</p>
        )}
        {more && <p className="text-mute text-xs">Only the newest matches were counted.</p>}
      </div>
      <Groups groups={results.groups} />
      <Link
        href={toMatchesPath(rule.id, days === "7" ? 7 : 30)}
        className="self-start text-accent text-xs hover:underline"
      >
        Show the calls
      </Link>
    </>
  );
}

const COLUMNS = ["succeeded", "failed", "rejected", "approved"] as const;

function Groups({ groups }: Pick<RuleResults, "groups">) {
  const columns = COLUMNS.filter((column) => groups.some((group) => group[column] > 0));
  return (
    <div className="min-w-0 overflow-x-auto">
      <table aria-label="Results by caller and tool" className="w-full text-xs">
        <thead>
          <tr className="border-line border-b text-mute">
            <th scope="col" className="py-1 text-left font-normal">
              Caller and tool
            </th>
            {["calls", ...columns].map((column) => (
              <th key={column} scope="col" className="py-1 pl-3 text-right font-normal">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={`${group.actor.id} ${group.toolName}`} className="border-line border-b last:border-b-0">
              <th scope="row" className="py-1 text-left font-normal [overflow-wrap:anywhere]">
                <bdi>{group.actor.name}</bdi> · <span className="font-mono">{group.toolName}</span>
              </th>
              {[group.matched, ...columns.map((column) => group[column])].map((count, at) => (
                <td key={["calls", ...columns][at]} className="py-1 pl-3 text-right font-mono tabular-nums">
                  {formatCount(count)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TurnOn({ rule, needs, isDirty }: RuleResultsCardProps) {
  const router = useRouter();
  const [problem, setProblem] = useState<string | null>(null);
  const turning = useAction(trpc.rules.update, {
    stale: [trpc.rules.list],
    done: (saved) => `${saved.name} is on`,
    failed: `Couldn't turn on ${rule.name}`,
    report: setProblem,
    onDone: () => router.push(RULES_PATH),
  });
  const { id, name, scope, caller, condition, fallback, effect, lastEdit } = rule;
  const turnOn = (): void => {
    const input = { name, state: "on" as const, scope, caller, condition, fallback, effect };
    turning.mutate({ id, rule: input, revision: lastEdit.revision });
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button needs={needs} disabled={turning.isPending || isDirty} onClick={turnOn}>
        {turning.isPending ? "Turning on…" : "Turn on"}
      </Button>
      <span className="text-mute text-xs">
        {isDirty ? "Save or discard your changes first." : "It only records. Turned on, it decides these calls."}
      </span>
      <ActionProblem problem={problem} onDismiss={() => setProblem(null)} />
    </div>
  );
}
