"use client";

import { SaveCaseButton } from "@/app/_components/rules/cases/save-case-button";
import { EffectBadge, OutcomeBadge } from "@/app/_components/rules/summary/effect-badge";
import { Alert } from "@/app/_ui/alert";
import { Badge } from "@/app/_ui/badge";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import { Skeleton } from "@/app/_ui/skeleton";
import { StatusBadge } from "@/app/_ui/status-badge";
import type { RulePreview } from "@/lib/contract/call-rule";
import { isDecision, isResultEffect, RULE_OUTCOMES, type RuleEffectKind } from "@/lib/contract/call-rule-words";
import { formatCount, formatPlural } from "@/lib/format";
import { OUTCOME_LABELS } from "@/lib/rules/rule-words";
import { type PreviewCalls, PreviewCallsPicker } from "./preview-calls";
import type { ShownPreview } from "./use-rule-preview";

export interface RulePreviewPanelProps {
  shown: ShownPreview;
  effect: RuleEffectKind;
  calls: PreviewCalls;
  /** Why nothing can be evaluated yet. */
  obstacle: string | null;
  /** The number of rules that are evaluated before this one. */
  earlier: number;
}

/** Shows what a rule would have done with recorded calls. Saving does not wait for it. */
export function RulePreviewPanel({ shown, effect, calls, obstacle, earlier }: RulePreviewPanelProps) {
  const { preview, failure } = shown;
  const isCurrent = obstacle === null && shown.isCurrent;
  return (
    <section aria-label="Preview" className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-panel p-3.5">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="font-medium">Preview</h2>
        {obstacle === null && !isCurrent && preview !== null && <Badge>Updating…</Badge>}
        <PreviewCallsPicker calls={calls} />
      </div>
      {obstacle !== null && <p className="text-mute">{obstacle}</p>}
      {obstacle === null && failure !== null && (
        <p className="text-bad [overflow-wrap:anywhere]">
          Couldn't evaluate the recorded calls: {failure} You can still save.
        </p>
      )}
      {obstacle === null && failure === null && preview === null && (
        <div role="status" className="flex flex-col gap-2">
          <span className="sr-only">Evaluating recorded calls</span>
          <Skeleton className="h-5 w-10/12" />
          <Skeleton className="h-24" />
        </div>
      )}
      {preview !== null && (
        <div aria-busy={!isCurrent} className={cx("flex min-w-0 flex-col gap-4", !isCurrent && "opacity-60")}>
          <p role="status" className="font-medium [overflow-wrap:anywhere]">
            {isCurrent
              ? describePreview(preview, effect, calls.words)
              : obstacle === null && "Evaluating recorded calls…"}
          </p>
          {earlier > 0 && isDecision(effect) && (
            <p className="text-mute text-xs">
              {formatPlural(earlier, "rule is", "rules are")} tried before it and {earlier === 1 ? "decides" : "decide"}{" "}
              first.
            </p>
          )}
          <PreviewNotes preview={preview} />
          {preview.calls > 0 && isDecision(effect) && <Counts preview={preview} />}
          <Groups preview={preview} />
          <Items preview={preview} effect={effect} />
        </div>
      )}
    </section>
  );
}

const DONE: Record<RuleEffectKind, string> = {
  allow: "allowed",
  deny: "denied",
  ask: "asked for",
  limit: "counted",
  price: "priced",
  redact: "redacted",
  block: "blocked",
  hook: "asked its hook for",
  route: "routed",
};

function describePreview(
  { calls, matched, limited, routed }: RulePreview,
  effect: RuleEffectKind,
  where: string,
): string {
  if (calls === 0) return `${where} there are no recorded calls.`;
  if (limited !== null) {
    return `${where} this limit would have had no room for ${formatCount(limited.withoutRoom)} of ${formatPlural(limited.calls, "call")}.`;
  }
  if (routed !== null) {
    return `${where} this rule would have routed ${formatCount(routed.calls)} of ${formatPlural(calls, "call")}.`;
  }
  return `${where} this rule would have ${DONE[effect]} ${formatCount(matched)} of ${formatPlural(calls, isResultEffect(effect) ? "result" : "call")}.`;
}

function PreviewNotes({ preview }: { preview: RulePreview }) {
  const { failedAllowed, unknown, more, calls, limited, routed } = preview;
  return (
    <>
      {limited?.firstAt != null && (
        <p className="text-xs">
          The first of them came <RelativeTime at={limited.firstAt} />. It would have kept{" "}
          {formatPlural(limited.keys, "count")}, each from 0.
        </p>
      )}
      {routed !== null && routed.invalid > 0 && (
        <Alert
          tone="warn"
          title={`The other tool does not take the arguments of ${formatPlural(routed.invalid, "call")}`}
        >
          These calls would be refused as invalid.
        </Alert>
      )}
      {routed !== null && routed.unknown > 0 && (
        <p className="text-mute text-xs">
          Cannot tell for {formatPlural(routed.unknown, "call")} whether the other tool takes their arguments.
        </p>
      )}
      {failedAllowed > 0 && (
        <Alert tone="warn" title={`It would allow ${formatPlural(failedAllowed, "call")} that failed`}>
          {null}
        </Alert>
      )}
      {unknown > 0 && (
        <p className="text-mute text-xs">
          Cannot tell for {formatPlural(unknown, "call")}: the value is masked or was not recorded.
        </p>
      )}
      {more && (
        <p className="text-mute text-xs">
          Only the newest {formatCount(calls)} calls were evaluated. There are older ones in this period.
        </p>
      )}
    </>
  );
}

/** Counts by outcome, without the rule and with it. */
function Counts({ preview: { before, after, changed } }: { preview: RulePreview }) {
  const outcomes = RULE_OUTCOMES.filter((outcome) => before[outcome] + after[outcome] > 0);
  return (
    <table aria-label="Calls by outcome" className="w-full text-xs">
      <thead>
        <tr className="border-line border-b text-mute">
          <th scope="col" className="py-1 text-left font-normal">
            {formatPlural(changed, "call")} changed
          </th>
          <th scope="col" className="py-1 pl-3 text-right font-normal">
            Now
          </th>
          <th scope="col" className="py-1 pl-3 text-right font-normal">
            With this rule
          </th>
        </tr>
      </thead>
      <tbody>
        {outcomes.map((outcome) => {
          const isChanged = before[outcome] !== after[outcome];
          return (
            <tr key={outcome} className="border-line border-b last:border-b-0">
              <th scope="row" className="py-1 text-left font-normal">
                {OUTCOME_LABELS[outcome]}
              </th>
              <td className="py-1 pl-3 text-right font-mono tabular-nums">{formatCount(before[outcome])}</td>
              <td
                className={cx("py-1 pl-3 text-right font-mono tabular-nums", isChanged && "font-semibold text-accent")}
              >
                {formatCount(after[outcome])}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Groups({ preview: { groups } }: { preview: RulePreview }) {
  if (groups.length === 0) return null;
  return (
    <div>
      <h3 className="mb-1 font-medium text-mute text-xs">By caller and tool</h3>
      <ul aria-label="Matched calls by caller and tool" className="flex flex-col text-xs">
        {groups.map(({ actor, toolName, count }) => (
          <li
            key={`${actor.id} ${toolName}`}
            className="flex items-baseline gap-2 border-line border-b py-1 last:border-b-0"
          >
            <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
              <bdi>{actor.name}</bdi> · <span className="font-mono">{toolName}</span>
            </span>
            <span className="font-mono tabular-nums">{formatCount(count)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Items({ preview: { items, matched }, effect }: { preview: RulePreview; effect: RuleEffectKind }) {
  if (items.length === 0) return null;
  return (
    <div className="min-w-0">
      <h3 className="mb-1 font-medium text-mute text-xs">
        {items.length < matched ? `The newest ${formatCount(items.length)} calls` : "Calls"}
      </h3>
      <ul
        aria-label="Matched calls"
        className="-mx-3.5 max-h-120 divide-y divide-line overflow-y-auto border-line border-t"
      >
        {items.map((item) => (
          <li key={item.id} className="flex min-w-0 flex-col gap-0.5 px-3.5 py-1.5 text-xs hover:bg-rail">
            <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
              <Link
                href={`/executions/${encodeURIComponent(item.id)}`}
                className="min-w-0 rounded-xs font-medium font-mono hover:underline [overflow-wrap:anywhere]"
              >
                {item.toolName}
              </Link>
              {item.status !== "succeeded" && <StatusBadge status={item.status} errorKind={item.errorKind} />}
              <span className="ml-auto flex items-center gap-1">
                {item.before !== item.after && (
                  <>
                    <OutcomeBadge outcome={item.before} />
                    <span aria-hidden className="text-mute">
                      →
                    </span>
                    <span className="sr-only">becomes</span>
                  </>
                )}
                {isDecision(effect) ? <OutcomeBadge outcome={item.after} /> : <EffectBadge effect={effect} />}
              </span>
            </span>
            <span dir="ltr" className="truncate font-mono text-mute">
              {item.argumentsPreview}
            </span>
            <span className="text-mute [overflow-wrap:anywhere]">
              <bdi>{item.actor.name}</bdi>
              {item.client !== null && ` · ${item.client}`} · <RelativeTime at={item.queuedAt} />
            </span>
            <span>
              <SaveCaseButton executionId={item.id} label={`Save as case: ${item.toolName}, ${item.id}`} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
