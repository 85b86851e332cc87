import { useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useState } from "react";
import { QueryState } from "@/app/_kit/query-state";
import { trpc } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import type { CaughtCall } from "@/lib/contract/rule-insight";
import { formatPlural } from "@/lib/format";
import { describeCaught } from "@/lib/rules/insight-words";
import { describeConditionText, STATE_LABELS } from "@/lib/rules/rule-words";
import { EffectBadge } from "./effect-badge";
import { toNewRulePath, toRulePath } from "./rule-paths";

/** Rules and conditions that would have kept a failed call from running. Evaluated when a user asks, since it reads many calls. */
export function CaughtSection({ executionId }: { executionId: string }) {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <section aria-label="Rules that would have caught this" className="flex min-w-0 flex-col gap-1.5">
      <h2 className="font-medium">Rules that would have caught this</h2>
      {isAsked ? (
        <Caught executionId={executionId} />
      ) : (
        <div className="flex flex-wrap items-center gap-2 text-mute text-xs">
          <Button icon={Search} onClick={() => setIsAsked(true)}>
            Find rules
          </Button>
          <span>Compares this call with the last 7 days of its tool.</span>
        </div>
      )}
    </section>
  );
}

function Caught({ executionId }: { executionId: string }) {
  const query = useQuery({
    ...trpc.rules.caught.queryOptions({ execution: executionId }, { trpc: { abortOnUnmount: true } }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return (
    <QueryState query={query} what="rules" bars={["h-5 w-8/12", "h-5 w-10/12"]}>
      {(caught) => <Found caught={caught} />}
    </QueryState>
  );
}

function Found({ caught }: { caught: CaughtCall }) {
  const { rules, proposals, execution, more } = caught;
  return (
    <div role="status" className="flex min-w-0 flex-col gap-2 text-xs">
      {rules.length + proposals.length === 0 && (
        <p className="text-mute">
          No rule that is off or only records matches this call, and no condition sets the failed calls apart from the
          good ones.
        </p>
      )}
      {rules.length > 0 && (
        <ul aria-label="Rules that are off or only record" className="flex flex-col gap-2">
          {rules.map((rule) => (
            <li key={rule.id} className="flex min-w-0 flex-col gap-0.5 [overflow-wrap:anywhere]">
              <span className="flex flex-wrap items-center gap-1.5">
                <EffectBadge effect={rule.effect.kind} />
                <Link href={toRulePath(rule.id)} className="font-medium underline">
                  {rule.name}
                </Link>
                <Badge>{STATE_LABELS[rule.state]}</Badge>
                {!rule.isCertain && <Badge tone="warn">Cannot tell for this call</Badge>}
              </span>
              <Figures figures={rule} caught={caught} />
            </li>
          ))}
        </ul>
      )}
      {proposals.length > 0 && (
        <ul aria-label="Proposed conditions" className="flex flex-col gap-2">
          {proposals.map((proposal) => (
            <li key={proposal.condition} className="flex min-w-0 flex-col gap-0.5 [overflow-wrap:anywhere]">
              <span className="font-mono">{describeConditionText(proposal.condition)}</span>
              <Figures figures={proposal} caught={caught} />
              <Link
                href={toNewRulePath(execution, { effect: "deny", condition: proposal.condition })}
                needs="edit"
                className="self-start text-accent hover:underline"
              >
                Make a rule
              </Link>
            </li>
          ))}
        </ul>
      )}
      {more && <p className="text-mute">Only the newest calls of the tool were evaluated.</p>}
    </div>
  );
}

interface FiguresProps {
  figures: Pick<CaughtCall["proposals"][number], "failed" | "succeeded" | "unknown">;
  caught: CaughtCall;
}

function Figures({ figures, caught }: FiguresProps) {
  return (
    <span className="text-mute">
      would have caught {describeCaught(figures, caught)}
      {figures.unknown > 0 && `; cannot tell for ${formatPlural(figures.unknown, "call")}`}
    </span>
  );
}
