import { FileText, MessageSquareText } from "lucide-react";
import type { ExecutionSummary } from "@/lib/contract";
import { kindOf } from "@/lib/contract/execution-kind";
import { KIND_LABELS } from "./execution-labels";

/** Marks reads of resources and prompts; tools, which most executions are of, have no icon. */
export function KindIcon({ execution }: { execution: Pick<ExecutionSummary, "implementationType"> }) {
  const kind = kindOf(execution);
  if (kind === "tool") return null;
  const Icon = kind === "resource" ? FileText : MessageSquareText;
  return (
    <span
      role="img"
      aria-label={KIND_LABELS[kind]}
      title={KIND_LABELS[kind]}
      className="mr-1.5 inline-block align-[-2px]"
    >
      <Icon aria-hidden size={13} strokeWidth={1.6} className="text-mute" />
    </span>
  );
}
