import { EffectBadge } from "@/app/_components/rules/summary/effect-badge";
import { toRulePath } from "@/app/_components/rules/summary/rule-paths";
import { Alert } from "@/app/_ui/alert";
import { Badge } from "@/app/_ui/badge";
import { cx } from "@/app/_ui/class-names";
import { FactList } from "@/app/_ui/fact-list";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ExplainedRule, ExplainedSetting, CallExplanation as Explanation } from "@/lib/contract/rule-explanation";
import { describeExplanation, listRuleFacts, SETTING_LABELS, STEP_LABELS } from "@/lib/format/rule-explanation-words";

/** Shows the outcome of an explained call, then each rule and setting in its order. */
export function CallExplanation({ explanation, isOutdated }: { explanation: Explanation; isOutdated: boolean }) {
  const { outcome, message, problems, rules, runs, settings } = explanation;
  const isBad = outcome === "denied" || outcome === "invalid" || outcome === "held";
  return (
    <section
      aria-label="What would happen"
      data-outcome={outcome}
      className={cx("flex min-w-0 flex-col gap-3", isOutdated && "opacity-60")}
    >
      <div role="status">
        <Alert tone={isBad ? "bad" : outcome === "runs" ? "accent" : "warn"} title={describeExplanation(explanation)}>
          {message !== null && <p className="text-xs [overflow-wrap:anywhere]">{message}</p>}
          {problems.map(({ path, message: problem }) => (
            <p key={`${path} ${problem}`} className="text-xs [overflow-wrap:anywhere]">
              <span className="font-mono">{path}</span> {problem}
            </p>
          ))}
          {isOutdated && <p className="text-xs">Choose Explain again for the call as it is now.</p>}
        </Alert>
      </div>
      <ol className="divide-y divide-line rounded-lg border border-line bg-panel">
        {rules.map((rule) => (
          <RuleRow key={rule.id} rule={rule} />
        ))}
        {settings.map((setting) => (
          <SettingRow key={`${setting.tool} ${setting.of}`} setting={setting} isRouted={runs !== null} />
        ))}
      </ol>
    </section>
  );
}

function RuleRow({ rule }: { rule: ExplainedRule }) {
  const { id, name, position, effect, step, decides, values, limit } = rule;
  const facts = listRuleFacts(rule);
  const isReached = step !== "out_of_scope" && step !== "not_reached" && step !== "off";
  return (
    <li data-step={step} className={cx("flex min-w-0 flex-col gap-1 px-3 py-2 text-xs", !isReached && "text-mute")}>
      <span className="flex flex-wrap items-center gap-1.5 [overflow-wrap:anywhere]">
        <span className="tabular-nums">{position}</span>
        <EffectBadge effect={effect.kind} />
        <Link href={toRulePath(id)} className="font-medium hover:underline">
          {name}
        </Link>
        <span>{STEP_LABELS[step]}</span>
        {decides && <Badge tone="accent">decides</Badge>}
      </span>
      {facts.length > 0 && (
        <span className="text-mute">
          {facts.join(" · ")}
          {limit !== undefined && limit.freeAt !== null && (
            <>
              {" · room "}
              <RelativeTime at={limit.freeAt} />
            </>
          )}
        </span>
      )}
      {isReached && <FactList facts={Object.entries(values).map(([path, value]) => [path, JSON.stringify(value)])} />}
    </li>
  );
}

const SAYS = { ask: "Asks", allow: "Allows without approval" } as const;

interface SettingRowProps {
  setting: ExplainedSetting;
  /** The settings of two tools are listed. */
  isRouted: boolean;
}

function SettingRow({ setting: { tool, of, says, decides }, isRouted }: SettingRowProps) {
  return (
    <li className={cx("flex flex-wrap items-center gap-1.5 px-3 py-2 text-xs", says === null && "text-mute")}>
      <Badge>built-in</Badge>
      <span className="font-medium">{SETTING_LABELS[of]}</span>
      {isRouted && <span className="font-mono">{tool}</span>}
      <span>{says === null ? "Not set" : SAYS[says]}</span>
      {decides && <Badge tone="accent">decides</Badge>}
    </li>
  );
}
