import { Badge, type BadgeTone } from "@/app/_ui/badge";
import type { ToolChange } from "@/lib/contract/server-tool";

const TONE: Record<ToolChange["kind"], BadgeTone> = {
  breaking: "bad",
  removed: "bad",
  added: "ok",
  additive: "accent",
  wording: "neutral",
};
const MEANS: Record<ToolChange["kind"], string> = {
  breaking: "Calls that worked before may fail now",
  removed: "The tool was removed",
  added: "A new tool",
  additive: "Backward compatible: old calls still work",
  wording: "Wording only",
};

/** How much a change of a tool matters. */
export function ChangeBadge({ kind }: { kind: ToolChange["kind"] }) {
  return (
    <Badge tone={TONE[kind]} title={MEANS[kind]}>
      {kind}
    </Badge>
  );
}

/** Lists the changes, one sentence each. */
export function ChangeDetails({ details }: { details: readonly string[] }) {
  if (details.length === 0) return null;
  return (
    <ul className="text-mute [overflow-wrap:anywhere]">
      {details.map((detail) => (
        <li key={detail}>{detail}</li>
      ))}
    </ul>
  );
}
