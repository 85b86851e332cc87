import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import { TimeChart } from "@/app/_kit/chart/time-chart";
import { QueryState } from "@/app/_kit/query-state";
import { trpc } from "@/app/_trpc/client";
import { useTimeZone } from "@/app/_ui/time-zone";
import type { AlertPreview, AlertRuleInput } from "@/lib/contract/alert";
import { ALERT_WORDS } from "@/lib/contract/alert-kinds";
import { formatPlural } from "@/lib/format";
import { formatAlertValue, toAlertPath } from "@/lib/format/alert-words";

const HOUR_MS = 3_600_000;

/** How often a rule would have fired, and the values that it would have evaluated. */
export function RulePreview({ rule }: { rule: AlertRuleInput }) {
  const asked = useDeferredValue(rule);
  // The name does not change the preview, so a fixed one keeps the query key stable.
  const options = trpc.alerts.preview.queryOptions({ rule: { ...asked, name: "Preview" } });
  const query = useQuery({ ...options, placeholderData: keepPreviousData });
  return (
    <section aria-label="Preview" className="overflow-hidden rounded-md border border-line">
      <QueryState query={query} what="the preview" bars={["h-5 w-64"]} className="px-4 py-2.5">
        {(preview) => (
          <>
            <p role="status" className="px-4 py-2.5 font-medium">
              {describePreview(preview)}
            </p>
            <PreviewChart rule={asked} preview={preview} />
          </>
        )}
      </QueryState>
    </section>
  );
}

function describePreview({ days, fired, rebuilding }: AlertPreview): string {
  if (rebuilding) return "Statistics are being rebuilt: a preview is possible in a moment.";
  if (days === 0) return `It would fire now for ${formatPlural(fired, "limit")}.`;
  return `In the last ${days} days this rule would have fired ${formatPlural(fired, "time")}.`;
}

function PreviewChart({ rule, preview: { points } }: { rule: AlertRuleInput; preview: AlertPreview }) {
  const zone = useTimeZone();
  const { kind, threshold } = rule;
  const checked = points.filter(({ value }) => value !== null);
  const format = (value: number | null | undefined) =>
    value == null ? "Too few calls" : formatAlertValue(kind, value);
  if (kind === "limit_usage") return null;
  if (checked.length === 0)
    return <p className="px-4 pb-2.5 text-mute text-xs">No hour has enough calls to evaluate.</p>;
  return (
    <TimeChart
      isPlain
      title={ALERT_WORDS[kind].label}
      summary={`${ALERT_WORDS[kind].label} by the hour, with the threshold ${format(threshold)}`}
      steps={points.map(({ start }) => ({ at: start, end: start + HOUR_MS }))}
      series={[
        { label: ALERT_WORDS[kind].label, look: "line", tone: "accent", values: points.map(({ value }) => value) },
        { label: "threshold", look: "line", tone: "mute", isDashed: true, values: points.map(() => threshold) },
        {
          label: "firing",
          look: "bar",
          tone: "bad",
          values: points.map(({ firing, value }) => (firing ? (value ?? 0) : 0)),
        },
      ]}
      formatAxis={(value) =>
        kind === "change_held" && !Number.isInteger(value) ? "" : value === 0 ? "0" : format(value)
      }
      describeStep={(step) => [format(points[step]?.value), ...(points[step]?.firing === true ? ["firing"] : [])]}
      listFigures={(step) => ({
        [ALERT_WORDS[kind].label]: format(points[step]?.value),
        Firing: points[step]?.firing === true ? "yes" : "no",
      })}
      toPath={({ since, until }) =>
        (kind === "change_held" || kind === "server_down") && rule.server === null
          ? "/servers"
          : toAlertPath({ ...rule, client: null, windowMinutes: 0, firedAt: since, resolvedAt: until })
      }
      zone={zone}
      note={toNote(rule)}
    />
  );
}

function toNote({ kind, each, windowMinutes }: AlertRuleInput): string | undefined {
  if (kind === "change_held") return "The last change of each tool is known, unless its server took it back.";
  if (kind === "approval_waiting") return "The longest wait in each hour.";
  if (kind === "server_down") return "The longest outage in each hour. Connections are recorded once a minute.";
  if (each !== null) return `The largest value of a ${each} in each hour.`;
  return windowMinutes < 60
    ? "Evaluated by full hours: a shorter window also fires for peaks within an hour."
    : undefined;
}
