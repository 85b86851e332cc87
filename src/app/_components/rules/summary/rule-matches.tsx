import { Badge } from "@/app/_ui/badge";
import { FactList } from "@/app/_ui/fact-list";
import { Link } from "@/app/_ui/link";
import type { RuleEffectKind } from "@/lib/contract/call-rule-words";
import type { RuleMatch } from "@/lib/contract/rule-match";
import { EffectBadge } from "./effect-badge";
import { toRulePath } from "./rule-paths";

const DECIDED: Record<RuleEffectKind, string> = { allow: "Allowed by", deny: "Denied by", ask: "Asked by" };
const RECORDED: Record<RuleEffectKind, string> = {
  allow: "Would be allowed by",
  deny: "Would be denied by",
  ask: "Would be asked by",
};

/** The rule that decided a call, and those that only recorded what they would have done. */
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
            <FactList facts={Object.entries(match.values).map(([path, value]) => [path, JSON.stringify(value)])} />
          </li>
        ))}
      </ul>
    </section>
  );
}
