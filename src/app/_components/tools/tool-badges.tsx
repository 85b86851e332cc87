import { approvalReason } from "@/app/_components/approvals/approval-words";
import { Badge, type BadgeTone } from "@/app/_ui/badge";
import type { QualityNote, ToolSummary } from "@/lib/contract";

const HINTS: readonly {
  key: keyof ToolSummary["annotations"];
  label: string;
  tone: BadgeTone;
  means: string;
}[] = [
  { key: "readOnlyHint", label: "read-only", tone: "neutral", means: "Its author says that it changes nothing" },
  { key: "destructiveHint", label: "destructive", tone: "bad", means: "Its author says that it may destroy something" },
  {
    key: "idempotentHint",
    label: "idempotent",
    tone: "neutral",
    means: "Its author says that calling it twice does no more than once",
  },
  {
    key: "openWorldHint",
    label: "open-world",
    tone: "neutral",
    means: "Its author says that it reaches outside systems",
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

/** Stands where a person is asked before the tool runs. */
export function ApprovalHint({ tool }: { tool: Pick<ToolSummary, "approval"> }) {
  if (!tool.approval.required) return null;
  return (
    <Badge tone="warn" title={approvalReason(tool.approval)}>
      asks first
    </Badge>
  );
}

/** A quality note in two words; its message says the rest. */
const QUALITY_WORDS: Record<QualityNote["code"], string> = {
  handler_missing: "handler missing",
  description_short: "description short",
  name_not_portable: "name not portable",
  parameter_undescribed: "parameter undescribed",
  schema_unsupported_by_form: "no form",
};

export function QualityList({ notes }: { notes: readonly QualityNote[] }) {
  return (
    <ul className="flex flex-col gap-1">
      {notes.map((note) => (
        <li key={`${note.code} ${note.message}`} className="flex flex-wrap items-baseline gap-x-2">
          <Badge tone={note.severity === "warning" ? "warn" : "neutral"}>{QUALITY_WORDS[note.code]}</Badge>
          <span className="min-w-0 text-mute [overflow-wrap:anywhere]">{note.message}</span>
        </li>
      ))}
    </ul>
  );
}

export function originLabel(tool: Pick<ToolSummary, "origin">): string {
  return { console: "console", config: "configuration", code: "code", server: "server" }[tool.origin];
}
