import { FileText, MessageSquareText } from "lucide-react";
import type { ContentKind } from "@/lib/contract/execution-kind";
import { KIND_LABELS } from "./execution-labels";

const ICONS = { resource: FileText, prompt: MessageSquareText };

export function ReadIcon({ kind }: { kind: ContentKind }) {
  const Icon = ICONS[kind];
  const label = KIND_LABELS[kind];
  return (
    <span role="img" aria-label={label} title={label} className="mr-1.5 inline-block align-[-2px]">
      <Icon size={13} className="text-mute" />
    </span>
  );
}
