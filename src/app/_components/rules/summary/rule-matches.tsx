import { Badge } from "@/app/_ui/badge";
import { FactList } from "@/app/_ui/fact-list";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { RuleEffectKind } from "@/lib/contract/call-rule-words";
import type { RuleMatch } from "@/lib/contract/rule-match";
import { formatDuration } from "@/lib/format";
import { formatDollars } from "@/lib/format/dollars";
import { formatUsed } from "@/lib/format/rule-limit-words";
import { readHookNote } from "@/lib/rules/hook-note";
import { readLimitNote } from "@/lib/rules/limit-note";
import { EffectBadge } from "./effect-badge";
import { toRulePath } from "./rule-paths";

const DECIDED: Record<RuleEffectKind, string> = {
  allow: "Allowed by",
  deny: "Denied by",
  ask: "Asked by",
  limit: "Counted by",
  price: "Priced by",
  redact: "Redacted by",
  block: "Result blocked by",
  hook: "Hook asked by",
  route: "Routed by",
};
const RECORDED: Record<RuleEffectKind, string> = {
  allow: "Would be allowed by",
  deny: "Would be denied by",
  ask: "Would be asked by",
  limit: "Counted by",
  price: "Would be priced by",
  redact: "Would be redacted by",
  block: "Result would be blocked by",
  hook: "Hook would be asked by",
  route: "Would be routed by",
};

/** The rules that applied to a call, and those that only recorded what they would have done. */
export function RuleMatches({ matches }: { matches: readonly RuleMatch[] }) {
  return (
    <section aria-label="Rules" className="flex min-w-0 flex-col gap-1.5">
      <h2 className="font-medium">Rules</h2>
      <ul className="flex flex-col gap-2">
        {matches.map((match) => (
          <li key={match.ruleId} className="flex min-w-0 flex-col gap-1 text-xs">
            <span className="flex flex-wrap items-center gap-1.5 [overflow-wrap:anywhere]">
              <EffectBadge effect={match.effect} />
              {(match.recordOnly ? RECORDED : DECIDED)[match.effect]}{" "}
              <Link href={toRulePath(match.ruleId)} className="font-medium underline">
                {match.name}
              </Link>{" "}
              <span className="text-mute">version {match.version}</span>
              {match.recordOnly && <Badge>record only</Badge>}
            </span>
            {match.effect === "limit" && <LimitFacts limit={match.values.limit} />}
            {match.effect === "price" && <PriceFact price={match.values.price} />}
            {match.effect === "hook" && <HookFact note={match.values.hook} />}
            {match.effect === "route" && <RouteFact tool={match.values.routed_to} />}
            <FactList facts={listConditionValues(match)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The notes of rules, which are shown beside the values that the condition read. */
const NOTED: ReadonlySet<string> = new Set(["limit", "price", "hook", "routed_to"]);

const listConditionValues = ({ values }: RuleMatch): [name: string, value: string][] =>
  Object.entries(values).flatMap(([path, value]) => (NOTED.has(path) ? [] : [[path, JSON.stringify(value)]]));

const OUTCOMES: Readonly<Record<string, string>> = { denied: "denied", asked: "asked for approval" };
const WOULD: Readonly<Record<string, string>> = {
  deny: "would be denied",
  ask: "would be asked for",
  wait: "would wait",
};

function LimitFacts({ limit }: { limit: unknown }) {
  const note = readLimitNote(limit);
  if (note === null) return null;
  const { measure, used, most, outcome, would, waitedMs, freeAt } = note;
  return (
    <span className="text-mute">
      {formatUsed(measure, used, most)}
      {outcome !== null && ` · ${OUTCOMES[outcome] ?? outcome}`}
      {would !== null && ` · ${WOULD[would] ?? would}`}
      {waitedMs !== null && ` · waited ${formatDuration(waitedMs)}`}
      {freeAt !== null && (
        <>
          {" · room again "}
          <RelativeTime at={freeAt} />
        </>
      )}
    </span>
  );
}

const HOOK_OUTCOMES: Readonly<Record<string, string>> = { allow: "Allowed", deny: "Denied", ask: "Asked for approval" };

function HookFact({ note }: { note: unknown }) {
  const read = readHookNote(note);
  if (read === null) return null;
  const { outcome, reason, failed, ms } = read;
  return (
    <span className="text-mute [overflow-wrap:anywhere]">
      {failed === null
        ? (HOOK_OUTCOMES[outcome] ?? outcome)
        : `Failed, since ${failed}: ${outcome === "deny" ? "denied" : "the call went on"}`}
      {reason !== null && ` · ${reason}`}
      {ms !== null && ` · ${formatDuration(ms)}`}
    </span>
  );
}

function RouteFact({ tool }: { tool: unknown }) {
  if (typeof tool !== "string") return null;
  return (
    <span className="text-mute [overflow-wrap:anywhere]">
      {"Runs "}
      <Link href={`/tools/${encodeURIComponent(tool)}`} className="font-mono underline">
        {tool}
      </Link>
    </span>
  );
}

function PriceFact({ price }: { price: unknown }) {
  if (price === undefined) return null;
  return <span className="text-mute">{typeof price === "number" ? formatDollars(price) : "Price unknown"}</span>;
}
