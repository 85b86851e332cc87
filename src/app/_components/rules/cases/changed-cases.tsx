import { OutcomeBadge } from "@/app/_components/rules/summary/effect-badge";
import { useVerdict } from "@/app/_kit/use-verdict";
import { client } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import type { CallRuleInput } from "@/lib/contract/call-rule";
import type { RuleTest, RuleTestInput } from "@/lib/contract/rule-case";
import { formatPlural } from "@/lib/format";

interface ChangedCasesProps {
  rule: CallRuleInput;
  /** The rule that it replaces; null for a new one. */
  id: string | null;
}

function testChange(text: string, signal: AbortSignal): Promise<RuleTest> {
  return client.ruleCases.test.query(JSON.parse(text) as RuleTestInput, { signal });
}

/** Says which cases a change of a rule would change, before it is saved. Nothing without cases. */
export function ChangedCases({ rule, id }: ChangedCasesProps) {
  const asked = JSON.stringify({ rule, ...(id !== null && { id }) });
  const { checked, answer } = useVerdict(asked, testChange);
  if (answer === null || answer.cases.length === 0) return null;
  const { cases, changed } = answer;
  const isCurrent = checked === asked;
  const broken = changed.filter(({ before, after }) => before.status === "passed" && after.status !== "passed");
  const title = `${changed.length} of ${formatPlural(cases.length, "case")} would change`;
  if (changed.length === 0) {
    return (
      <p role="status" className="text-mute text-xs">
        {title}.
      </p>
    );
  }
  return (
    <div role="status" aria-busy={!isCurrent} className={isCurrent ? undefined : "opacity-60"}>
      <Alert
        tone={broken.length > 0 ? "warn" : "accent"}
        title={broken.length > 0 ? `${title}, ${broken.length} would not pass` : title}
      >
        <ul
          aria-label="Changed cases"
          className="mt-1 flex max-h-60 flex-col gap-1 overflow-y-auto rounded-md bg-panel px-2 py-1 text-xs"
        >
          {changed.map(({ name, before, after }) => (
            <li key={name} className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
              <span className="min-w-0 [overflow-wrap:anywhere]">{name}</span>
              <span className="ml-auto flex items-center gap-1">
                <OutcomeBadge outcome={before.outcome} />
                <span aria-hidden className="text-mute">
                  →
                </span>
                <span className="sr-only">becomes</span>
                <OutcomeBadge outcome={after.outcome} />
                {after.status !== "passed" && <span className="text-bad">does not pass</span>}
              </span>
            </li>
          ))}
        </ul>
        {broken.length > 0 && <p className="mt-1 text-xs">You can save all the same.</p>}
      </Alert>
    </div>
  );
}
