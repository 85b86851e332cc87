import { ChevronDown, ChevronRight } from "lucide-react";
import { type KeyboardEvent, memo } from "react";
import { cx } from "@/app/_ui/class-names";
import { formatCount } from "@/lib/format";
import type { JsonNode } from "@/lib/json-diff/json-node";
import { CLIP_CHARS, countChildren, PAGE_SIZE, type TreeRow, type ValueRow } from "./tree-rows";

/** Lines of indentation beyond which deeper rows stay where they are, so that narrow screens keep room for values. */
const GUIDES = Array.from({ length: 20 }, (_, index) => index + 1);

interface TreeRowViewProps {
  row: TreeRow;
  active: boolean;
  onActivate: (id: string) => void;
  onSelect: (id: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

function RowView({ row, active, onActivate, onSelect, onKeyDown }: TreeRowViewProps) {
  return (
    <div
      role="treeitem"
      data-row={row.id}
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-selected={active}
      aria-expanded={row.type === "value" && row.expanded !== null ? row.expanded : undefined}
      tabIndex={active ? 0 : -1}
      onFocus={() => onSelect(row.id)}
      onClick={() => {
        // A click that ends a text selection is not meant for the tree.
        if (window.getSelection()?.isCollapsed !== false) onActivate(row.id);
      }}
      onKeyDown={onKeyDown}
      className="-outline-offset-2 flex cursor-default rounded-xs px-1 aria-selected:bg-rail"
    >
      {GUIDES.slice(0, row.level - 1).map((level) => (
        <span key={level} aria-hidden className="ml-1.5 w-2.5 shrink-0 border-line border-l" />
      ))}
      {row.type === "more" ? (
        <span className="pl-4 text-accent">
          Show {Math.min(row.hidden, PAGE_SIZE)} more of {formatCount(row.hidden)}
        </span>
      ) : (
        <ValueLine row={row} />
      )}
    </div>
  );
}

/** Each change of the tree creates new row objects; equal ones need no new rendering. */
export const TreeRowView = memo(RowView, (before, after) => {
  if (before.active !== after.active || before.row.id !== after.row.id) return false;
  if (before.row.siblings !== after.row.siblings) return false;
  if (before.row.type !== "value" || after.row.type !== "value") return false;
  return before.row.node === after.row.node && before.row.expanded === after.row.expanded;
});

function ValueLine({ row }: { row: ValueRow }) {
  const Chevron = row.expanded ? ChevronDown : ChevronRight;
  return (
    <>
      <span aria-hidden className="flex h-5 w-4 shrink-0 items-center text-faint">
        {row.expanded !== null && <Chevron size={12} strokeWidth={1.6} />}
      </span>
      <span className="min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]">
        {row.label !== null && (
          <>
            <span className={typeof row.label === "string" ? "text-key" : "text-faint"}>
              {typeof row.label === "string" ? JSON.stringify(row.label) : row.label}
            </span>
            {": "}
          </>
        )}
        <ValueText node={row.node} expanded={row.expanded} />
      </span>
    </>
  );
}

function ValueText({ node, expanded }: { node: JsonNode; expanded: boolean | null }) {
  if (node.kind === "object" || node.kind === "array") {
    const count = countChildren(node);
    const [opening, closing, noun] = node.kind === "object" ? ["{", "}", "key"] : ["[", "]", "item"];
    if (count === 0) return opening + closing;
    return (
      <>
        {opening}
        <span className="px-1 text-faint">
          {formatCount(count)} {count === 1 ? noun : `${noun}s`}
        </span>
        {closing}
      </>
    );
  }
  const clipped = node.kind === "string" && expanded === false;
  return (
    <span className={cx(node.kind === "string" ? "text-str" : "text-num")}>
      {clipped ? (
        <>
          {node.raw.slice(0, CLIP_CHARS)}
          <span className="text-faint">… {formatCount(node.raw.length - CLIP_CHARS)} more characters</span>
        </>
      ) : (
        node.raw
      )}
    </span>
  );
}
