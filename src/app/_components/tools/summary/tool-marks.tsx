import { Alert } from "@/app/_ui/alert";
import { Badge, type BadgeTone } from "@/app/_ui/badge";
import { Link } from "@/app/_ui/link";
import type { ToolSummary } from "@/lib/contract/catalog-tool";
import { type Deprecation, describeDeprecation } from "@/lib/contract/tool-facts";
import { TOOL_MARKS, type ToolMarkName } from "@/lib/contract/tool-filter";

/** The facts that marks read; what a list of another kind does not know is left out. */
type Marked = Partial<Pick<ToolSummary, "enabled" | "held" | "deprecation">>;

interface ToolMark {
  state: ToolMarkName;
  word: string;
  means: string;
  tone: BadgeTone;
}

/** Badges and the palette read this table. */
const MARKS: Record<ToolMarkName, (tool: Marked) => Omit<ToolMark, "state"> | null> = {
  disabled: ({ enabled }) =>
    enabled === false ? { word: "disabled", means: "Calls are refused until it is enabled", tone: "neutral" } : null,
  held: ({ held }) =>
    held
      ? {
          word: held === "open" ? "change to review" : held === "blocked" ? "change blocked" : "change ignored",
          means: "Its server changed it: calls are refused until the change is approved",
          tone: "warn",
        }
      : null,
  deprecated: ({ deprecation }) =>
    deprecation ? { word: "deprecated", means: describeDeprecation(deprecation), tone: "warn" } : null,
};

/** Words for the states that are not their own. */
export const STATE_WORDS = { held: "changed by server" };

export function listMarks(tool: Marked): ToolMark[] {
  return TOOL_MARKS.flatMap((state) => {
    const mark = MARKS[state](tool);
    return mark === null ? [] : [{ state, ...mark }];
  });
}

export function ToolMarks({ tool }: { tool: Marked }) {
  return listMarks(tool).map(({ state, word, means, tone }) => (
    <Badge key={state} tone={tone} title={means}>
      {word}
    </Badge>
  ));
}

/** The facts that need more words than a badge has, on the pages of a tool and of its calls. */
export function ToolNotices({ tool, className }: { tool: Marked; className?: string }) {
  if (!tool.deprecation) return null;
  return (
    <div className={className}>
      <DeprecationNotice deprecation={tool.deprecation} />
    </div>
  );
}

function DeprecationNotice({ deprecation: { successor, note } }: { deprecation: Deprecation }) {
  const title =
    successor === null ? (
      "This tool is deprecated"
    ) : (
      <>
        This tool is deprecated: use{" "}
        <Link href={`/tools/${encodeURIComponent(successor)}`} className="font-mono underline">
          {successor}
        </Link>{" "}
        instead
      </>
    );
  return (
    <Alert tone="warn" title={title}>
      {note !== null && (
        <p dir="auto" className="whitespace-pre-line text-mute">
          {note}
        </p>
      )}
    </Alert>
  );
}
