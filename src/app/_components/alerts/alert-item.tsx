import { toScopedRulePath } from "@/app/_components/rules/summary/rule-paths";
import { Badge } from "@/app/_ui/badge";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { Alert } from "@/lib/contract/alert";
import { describeAlert, formatAlertValue, toAlertPath } from "@/lib/format/alert-words";

interface AlertItemProps {
  alert: Alert;
  /** The user has not seen it before. */
  isNew?: boolean;
  /** Called when the alert's page is opened. */
  onOpen?: () => void;
}

/** An alert as a link to the page that shows its cause. */
export function AlertItem({ alert, isNew = false, onOpen }: AlertItemProps) {
  const { rule, kind, threshold, firedAt, resolvedAt } = alert;
  const isFiring = resolvedAt === null;
  const rulePath = toRulePath(alert);
  return (
    <li data-row={alert.id} data-status={isFiring ? "failed" : "succeeded"} className="flex gap-2.5 px-3.5 py-2.5">
      <span
        aria-hidden
        className={`mt-1.5 size-1.75 shrink-0 rounded-full ${isFiring ? "bg-bad" : isNew ? "bg-accent" : "bg-line2"}`}
      />
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <Link
          href={toAlertPath(alert)}
          onClick={onOpen}
          className={isNew ? "font-medium hover:underline" : "hover:underline"}
        >
          {describeAlert(alert)}
        </Link>{" "}
        {isFiring && <Badge tone="bad">firing</Badge>}
        {isNew && <span className="sr-only"> new</span>}
        <div className="text-mute text-xs">
          {rule} · threshold {formatAlertValue(kind, threshold)} · fired <RelativeTime at={firedAt} />
          {resolvedAt !== null && (
            <>
              , resolved <RelativeTime at={resolvedAt} />
            </>
          )}
          {rulePath !== null && (
            <>
              {" · "}
              <Link href={rulePath} needs="edit" onClick={onOpen} className="underline">
                Make a rule
              </Link>
            </>
          )}
        </div>
      </div>
    </li>
  );
}

/** A rule about the calls that an alert is about; null where a rule would not help. */
function toRulePath({ kind, tool, server, client }: Alert): string | null {
  if (tool === null && server === null && client === null) return null;
  if (kind === "approval_waiting") return toScopedRulePath({ effect: "allow", tool, server, client });
  return kind === "failure_rate" ? toScopedRulePath({ effect: "ask", tool, server, client }) : null;
}
