import { Badge } from "@/app/_ui/badge";
import type { ModelVerdict } from "@/lib/contract/model";

/** What the newest check of a model found; nothing where it was never checked. */
export function VerdictBadge({ verdict }: { verdict: ModelVerdict | null }) {
  if (verdict === null) return null;
  const { validated, passed, total } = verdict;
  return (
    <Badge
      tone={validated ? "ok" : "warn"}
      title={`${passed} of ${total} attempts of the newest model check passed${validated ? "" : "; 80% required"}`}
    >
      {validated ? "validated" : "not validated"} {passed}/{total}
    </Badge>
  );
}
