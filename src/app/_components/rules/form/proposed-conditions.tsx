import { cx } from "@/app/_ui/class-names";
import type { RuleProposals } from "@/lib/contract/rule-insight";
import { formatCount, formatPlural } from "@/lib/format";
import { describeConditionText } from "@/lib/rules/rule-words";

interface ProposedConditionsProps {
  found: RuleProposals;
  /** The condition of the draft, as text. */
  current: string;
  onChoose: (condition: string) => void;
}

/** The conditions that comparing a call with the recorded ones found, with the calls that each would match. */
export function ProposedConditions({ found, current, onChoose }: ProposedConditionsProps) {
  const { proposals, calls, more } = found;
  return (
    <section aria-label="Proposed conditions" className="flex min-w-0 flex-col gap-1.5">
      <h2 className="font-medium">Proposed from recorded calls</h2>
      <ul className="flex min-w-0 flex-col gap-1.5">
        {proposals.map(({ condition, matched, unknown }) => {
          const isChosen = condition === current;
          return (
            <li key={condition}>
              <button
                type="button"
                aria-pressed={isChosen}
                onClick={() => onChoose(condition)}
                className={cx(
                  "flex w-full min-w-0 flex-col gap-0.5 rounded-md border px-3 py-1.5 text-left max-sm:py-2.5",
                  isChosen ? "border-accent bg-accent-bg" : "border-line2 bg-panel hover:bg-rail",
                )}
              >
                <span className="font-mono text-xs [overflow-wrap:anywhere]">{describeConditionText(condition)}</span>
                <span className="text-mute text-xs">
                  would match {formatCount(matched)} of {formatPlural(calls, "call")} in 7 days
                  {unknown > 0 && `, cannot tell for ${formatCount(unknown)}`}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
      {more && <p className="text-mute text-xs">Only the newest calls of the tool were evaluated.</p>}
    </section>
  );
}
