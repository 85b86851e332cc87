import type { WaitingChanges } from "../contract/change-review";
import type { TrafficVerdict } from "../contract/change-verdict";
import { formatCount, formatPlural } from "./count";

/** `37 of 1,204 recent calls would now break: priority became required`. */
export function formatVerdict({ total, broken, counts, reasons, fields, ignored }: TrafficVerdict): string {
  if (total === 0) return "No recorded calls";
  const calls = formatPlural(total, "recent call");
  if (broken === 0) {
    if (ignored[0] !== undefined) {
      return `${formatCount(ignored[0].calls)} of ${calls} sent \`${ignored[0].path}\`, which is now ignored`;
    }
    if (counts.undecidable > 0)
      return `None of ${calls} would break; ${formatCount(counts.undecidable)} can't be checked`;
    return `None of ${calls} would break`;
  }
  const [rejected] = reasons;
  const [lost] = fields;
  if (counts.rejected === 0) {
    return `${formatCount(broken)} of ${calls} received \`${lost?.path ?? ""}\`, which is gone`;
  }
  const more = reasons.length > 1 ? `, and ${formatPlural(reasons.length - 1, "other reason")}` : "";
  return `${formatCount(counts.rejected)} of ${calls} would now be rejected: ${rejected?.reason ?? ""}${more}`;
}

/** The pending changes of a server, in one sentence. */
export function formatWaiting(changes: WaitingChanges): string {
  const { broken, total, reason, unjudged, questioned, applied } = changes;
  if (broken > 0) {
    const cause = reason === null ? "" : `: ${reason}`;
    return `${formatCount(broken)} of ${formatPlural(total, "recent call")} would break${cause}.`;
  }
  if (changes.open + applied === 0) return `${formatPlural(changes.skills, "changed skill")} to review.`;
  if (unjudged > 0) return "Checking recorded calls…";
  const calls =
    total === 0 ? "No recorded calls to check." : `None of ${formatPlural(total, "recent call")} would break.`;
  return questioned + applied > 0 ? `${calls} Their schemas changed in a breaking way.` : calls;
}
