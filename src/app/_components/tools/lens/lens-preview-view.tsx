import { type Column, DataTable } from "@/app/_kit/data-table";
import { JsonTree } from "@/app/_kit/json-tree/json-tree";
import { actionsColumn, figureColumn, textColumn, timeColumn } from "@/app/_kit/list/columns";
import { pressRow } from "@/app/_kit/row-press";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { EmptyState } from "@/app/_ui/empty-state";
import { ROW_CONTROL } from "@/app/_ui/row-control";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import type { LensExample, LensRow } from "@/lib/contract/lens";
import { formatBytes, formatCount, formatPlural, formatRate } from "@/lib/format";
import type { LensPreview } from "./use-lens-preview";

const toPath = (id: string): string => `/executions/${encodeURIComponent(id)}`;
const ROWS_SHOWN = 50;

interface LensPreviewViewProps {
  preview: LensPreview;
  /** The expression leaves results unchanged. */
  isWhole: boolean;
  shown: string | null;
  onShow: (executionId: string) => void;
  example: LensExample | null;
  onStop: () => void;
}

/** Shows the effect of an expression on stored results: in sum, for each, and one of them as trees. */
export function LensPreviewView({ preview, isWhole, shown, onShow, example, onStop }: LensPreviewViewProps) {
  const { rows, status, problem } = preview;
  if (problem !== null) {
    return (
      <EmptyState heading="h2" title="No preview">
        Correct the expression to see what it leaves.
      </EmptyState>
    );
  }
  if (rows.length === 0) {
    return (
      <EmptyState heading="h2" title={status === "running" ? "Reading stored results…" : "No stored results"}>
        {status === "running" ? "The newest 500 are evaluated." : "Run the tool to see what an expression leaves."}
      </EmptyState>
    );
  }
  return (
    <section aria-label="Preview" className="flex min-h-0 flex-col gap-3 overflow-auto p-3.5" data-status={status}>
      <Summary preview={preview} isWhole={isWhole} onStop={onStop} />
      {example !== null && <Example example={example} isWhole={isWhole} />}
      <DataTable
        label="Stored results"
        look="panel"
        columns={buildColumns(shown, onShow, isWhole)}
        rows={rows}
        toKey={(row) => row.executionId}
        rowProps={(row) =>
          ({
            "aria-selected": row.executionId === shown,
            "data-execution": row.executionId,
            onClick: pressRow,
            className: cx("cursor-pointer", row.executionId === shown && "bg-accent-bg"),
          }) as object
        }
        step={ROWS_SHOWN}
      />
    </section>
  );
}

const sum = (rows: readonly LensRow[], of: (row: LensRow) => number): number =>
  rows.reduce((total, row) => total + of(row), 0);

function Summary({
  preview: { rows, status },
  isWhole,
  onStop,
}: Pick<LensPreviewViewProps, "preview" | "isWhole" | "onStop">) {
  const before = sum(rows, (row) => row.beforeTokens);
  const after = sum(rows, (row) => row.afterTokens);
  const failed = rows.filter(({ fault }) => fault !== null);
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <h2 className="font-medium">
          {isWhole
            ? `About ${formatCount(before)} tokens`
            : `About ${formatCount(before)} → ${formatCount(after)} tokens${after < before ? ` (−${formatRate(before - after, before)})` : ""}`}
        </h2>
        <span className="text-mute text-xs">
          {formatBytes(sum(rows, (row) => row.beforeBytes))}
          {!isWhole && ` → ${formatBytes(sum(rows, (row) => row.afterBytes))}`} in{" "}
          {formatPlural(rows.length, "stored result")}
          {status === "running" && ", reading more…"}
          {status === "stopped" && ", stopped"}
        </span>
        {status === "running" && <Button onClick={onStop}>Stop</Button>}
      </div>
      {failed.length > 0 && (
        <Alert
          tone="warn"
          title={`The expression fails for ${formatCount(failed.length)} of ${formatPlural(rows.length, "result")}`}
        >
          Callers would get these whole: {failed[0]?.fault}.
        </Alert>
      )}
    </div>
  );
}

function Example({ example, isWhole }: { example: LensExample; isWhole: boolean }) {
  return (
    <div className="grid grid-cols-1 gap-3 xl:grid-cols-2">
      <Side label={isWhole ? "Result" : "Before"}>
        <JsonTree text={example.before} label="Before" />
      </Side>
      {!isWhole && (
        <Side label="After">
          {example.after === null ? (
            <p className="text-warn">{example.fault}: the caller gets the whole result.</p>
          ) : (
            <JsonTree text={example.after} label="After" />
          )}
        </Side>
      )}
    </div>
  );
}

function Side({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div className="min-w-0 rounded-lg border border-line bg-panel">
      <h3 className="border-line border-b px-3 py-1.5 text-mute text-xs">{label}</h3>
      <ScrollRegion label={label} className="max-h-80 p-2.5">
        {children}
      </ScrollRegion>
    </div>
  );
}

/** A figure of a result, before the expression and after it. */
function sizeColumn(
  head: string,
  read: (row: LensRow) => readonly [before: number, after: number],
  { isWhole, format, ...options }: { isWhole: boolean; format: (figure: number) => string } & Partial<Column<LensRow>>,
): Column<LensRow> {
  const render = (row: LensRow): string => (isWhole ? format(read(row)[0]) : read(row).map(format).join(" → "));
  return figureColumn(head, render, options);
}

function buildColumns(shown: string | null, onShow: (id: string) => void, isWhole: boolean): Column<LensRow>[] {
  const fault = textColumn<LensRow>("Problem", (row) => row.fault, {
    from: "md",
    className: "pl-4",
    cellClass: "text-warn text-xs",
  });
  return [
    timeColumn("Execution", ({ queuedAt }) => queuedAt, { href: ({ executionId }) => toPath(executionId) }),
    sizeColumn("Tokens", ({ beforeTokens, afterTokens }) => [beforeTokens, afterTokens], {
      isWhole,
      format: formatCount,
      headTitle: "Estimated: four characters each",
    }),
    sizeColumn("Size", ({ beforeBytes, afterBytes }) => [beforeBytes, afterBytes], {
      isWhole,
      format: formatBytes,
      from: "md",
    }),
    ...(isWhole ? [] : [fault]),
    actionsColumn(
      ({ executionId }) => (
        <Button
          data-row=""
          aria-pressed={executionId === shown}
          variant={executionId === shown ? "secondary" : "ghost"}
          className={ROW_CONTROL}
          onClick={() => onShow(executionId)}
        >
          {executionId === shown ? "Shown" : "Show"}
        </Button>
      ),
      { head: "Show", cellClass: "pr-2.5!" },
    ),
  ];
}
