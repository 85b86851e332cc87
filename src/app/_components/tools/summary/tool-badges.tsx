import { describeApprovalReason } from "@/app/_components/approvals/summary/approval-words";
import { Badge, type BadgeTone } from "@/app/_ui/badge";
import type { QualityNote, ToolSummary } from "@/lib/contract/catalog-tool";

const HINTS: readonly {
  key: keyof ToolSummary["annotations"];
  label: string;
  tone: BadgeTone;
  means: string;
}[] = [
  { key: "readOnlyHint", label: "read-only", tone: "neutral", means: "Marked read-only: does not change anything" },
  {
    key: "destructiveHint",
    label: "destructive",
    tone: "bad",
    means: "Marked destructive: may delete or overwrite data",
  },
  {
    key: "idempotentHint",
    label: "idempotent",
    tone: "neutral",
    means: "Marked idempotent: repeated calls have no additional effect",
  },
  {
    key: "openWorldHint",
    label: "open-world",
    tone: "neutral",
    means: "Marked open world: accesses external systems",
  },
];

/** The hints that are set to true. They are claims of the tool's author. */
export function HintBadges({ annotations }: { annotations: ToolSummary["annotations"] }) {
  return HINTS.filter(({ key }) => annotations[key] === true).map(({ key, label, tone, means }) => (
    <Badge key={key} tone={tone} title={means}>
      {label}
    </Badge>
  ));
}

export function ApprovalHint({ tool }: { tool: Pick<ToolSummary, "approval" | "server"> }) {
  if (!tool.approval.required) return null;
  return (
    <Badge tone="warn" title={describeApprovalReason(tool.approval, tool.server)}>
      approval required
    </Badge>
  );
}

/** The short label of a quality note; its message has the details. */
const QUALITY_WORDS: Record<QualityNote["code"], string> = {
  handler_missing: "handler missing",
  description_short: "description short",
  name_not_portable: "name not portable",
  parameter_undescribed: "parameter undescribed",
  schema_unsupported_by_form: "no form",
  schema_not_checked: "not checked",
  successor_missing: "successor missing",
};

export function QualityList({ notes }: { notes: readonly QualityNote[] }) {
  return (
    <ul className="flex flex-col gap-1">
      {notes.map((note) => (
        <li key={`${note.code} ${note.message}`} className="flex flex-wrap items-baseline gap-x-2">
          <Badge tone={note.severity === "warning" ? "warn" : "neutral"}>{QUALITY_WORDS[note.code]}</Badge>
          <span dir="auto" className="min-w-0 text-mute [overflow-wrap:anywhere]">
            {note.message}
          </span>
        </li>
      ))}
    </ul>
  );
}

export function formatOrigin(tool: Pick<ToolSummary, "origin">): string {
  return { console: "console", config: "configuration", code: "code", server: "server" }[tool.origin];
}
