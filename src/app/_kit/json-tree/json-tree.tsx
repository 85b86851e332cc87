import { ChevronDown, ChevronRight, Search } from "lucide-react";
import { type KeyboardEvent, memo, useCallback, useEffect, useMemo, useReducer, useRef, useState } from "react";
import { Button, IconButton } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { CopyButton } from "@/app/_ui/copy-button";
import { onDemand } from "@/app/_ui/on-demand";
import { useHydrated } from "@/app/_ui/use-hydrated";
import { formatCount } from "@/lib/format";
import { hasMoreValuesThan } from "@/lib/json/limits";
import { formatNode } from "@/lib/json-diff/format-node";
import { decodeString, type JsonNode, parseJsonNode } from "@/lib/json-diff/json-node";
import { ClippedText } from "./clipped-text";
import {
  CLIP_CHARS,
  countChildren,
  imageDataUrl,
  listVisibleRows,
  PAGE_SIZE,
  ROOT_ID,
  type TreeRow,
  type ValueRow,
} from "./tree-rows";
import { initialTreeState, isTreeKey, treeReducer } from "./tree-state";

/** Lines of indentation beyond which deeper rows stay where they are, so that narrow screens keep room for values. */
const GUIDES = Array.from({ length: 20 }, (_, index) => index + 1);

/** Each change of the tree creates new row objects; equal ones need no new rendering. */
const TreeRowView = memo(RowView, (before, after) => {
  if (before.active !== after.active || before.row.id !== after.row.id) return false;
  if (before.row.siblings !== after.row.siblings) return false;
  if (before.row.type !== "value" || after.row.type !== "value") return false;
  return before.row.node === after.row.node && before.row.expanded === after.row.expanded;
});

const DataImage = onDemand(() => import("./data-image"), "DataImage");

const TreeSearch = onDemand(() => import("./tree-search"), "TreeSearch");

/** Smaller trees are seen at a glance. */
const SEARCH_FROM = 12;

/** Deeper values are shown as text: the recursive functions would exceed the stack. */
const MAX_HEIGHT = 1_000;
/** A text with more values is shown without a tree. */
const MAX_VALUES = 600_000;
/** A text of more values becomes a tree in the browser alone: some 100 ms of the server's main thread. */
const MAX_VALUES_ON_SERVER = 100_000;

interface JsonTreeProps {
  /** JSON text; any other text is shown unchanged. */
  text: string;
  /** Accessible name: what this value is. */
  label: string;
}

export function JsonTree({ text, label }: JsonTreeProps) {
  const hydrated = useHydrated();
  const isLarge = useMemo(() => hasMoreValuesThan(text, MAX_VALUES_ON_SERVER), [text]);
  const isTree = hydrated || !isLarge;
  const root = useMemo(
    () => (isTree ? parseJsonNode(text, { maxValues: MAX_VALUES, maxHeight: MAX_HEIGHT }) : null),
    [text, isTree],
  );
  if (root === null) return <ClippedText text={text} label={label} />;
  return <Tree root={root} text={text} label={label} />;
}

function Tree({ root, text, label }: JsonTreeProps & { root: JsonNode }) {
  const [state, dispatch] = useReducer(treeReducer, root, initialTreeState);
  const tree = useRef<HTMLDivElement>(null);
  const [searching, setSearching] = useState(false);
  if (state.root !== root) dispatch({ type: "root", root });
  const rows = useMemo(() => listVisibleRows(state.root, state), [state]);
  const active = rows.find((row) => row.id === state.activeId) ?? rows[0];
  const activeId = active?.id;

  // Outside system: the browser's scroll position, which follows the match while one is searched for.
  useEffect(() => {
    if (!searching || activeId === undefined) return;
    tree.current?.querySelector(`[data-row="${CSS.escape(activeId)}"]`)?.scrollIntoView({ block: "nearest" });
  }, [activeId, searching]);

  // Outside system: the browser's focus, which follows the active row while it is inside the tree.
  useEffect(() => {
    if (activeId === undefined || !tree.current?.contains(document.activeElement)) return;
    tree.current.querySelector<HTMLElement>(`[data-row="${CSS.escape(activeId)}"]`)?.focus();
  }, [activeId]);

  const onKeyDown = useCallback((event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !isTreeKey(event.key)) return;
    event.preventDefault();
    dispatch({ type: "key", key: event.key });
  }, []);
  const onActivate = useCallback((id: string) => dispatch({ type: "activate", id }), []);
  const onSelect = useCallback((id: string) => dispatch({ type: "select", id }), []);

  return (
    <div className="relative flex min-w-0 flex-col gap-1.5">
      {searching && (
        <TreeSearch
          root={root}
          label={label}
          onReveal={(id) => dispatch({ type: "reveal", id })}
          onClose={() => {
            setSearching(false);
            tree.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
          }}
        />
      )}
      {!searching && root.size >= SEARCH_FROM && (
        <IconButton
          icon={Search}
          label={`Search in ${label.toLowerCase()}`}
          className="absolute -top-1 right-0 z-1 bg-panel"
          onClick={() => setSearching(true)}
        />
      )}
      <div ref={tree} role="tree" aria-label={label} className="font-mono text-xs leading-5">
        {rows.map((row) => (
          <TreeRowView
            key={row.id}
            row={row}
            active={row.id === activeId}
            onActivate={onActivate}
            onSelect={onSelect}
            onKeyDown={onKeyDown}
          />
        ))}
      </div>
      {active?.type === "value" && (
        <TreeBar
          key={active.id}
          row={active}
          rootText={text}
          foldable={root.height > 1}
          onExpandAll={() => dispatch({ type: "expand_all" })}
          onCollapseAll={() => dispatch({ type: "collapse_all" })}
        />
      )}
    </div>
  );
}

interface TreeBarProps {
  row: ValueRow;
  rootText: string;
  foldable: boolean;
  onExpandAll: () => void;
  onCollapseAll: () => void;
}

/** The actions on the selected value. Every view of the whole value can copy it too. */
function TreeBar({ row, rootText, foldable, onExpandAll, onCollapseAll }: TreeBarProps) {
  const [imageShown, setImageShown] = useState(false);
  const value = useMemo(() => formatLogText(row, rootText), [row, rootText]);
  const image = useMemo(() => imageDataUrl(row.node), [row.node]);
  const isWhole = row.path === "$";
  if (isWhole && !foldable && image === null) return null;
  return (
    <div className="border-line border-t pt-1.5 text-xs">
      <div className="flex flex-wrap items-center gap-x-1">
        {!isWhole && (
          <>
            <span className="min-w-0 truncate font-mono text-mute">{row.path}</span>
            <CopyButton text={row.path} label="Copy path" />
            <span className="ml-1 text-mute">value</span>
            <CopyButton text={value} label="Copy value" />
          </>
        )}
        {image !== null && !imageShown && <Button onClick={() => setImageShown(true)}>Show image</Button>}
        {foldable && (
          <span className="ml-auto flex">
            <Button variant="ghost" onClick={onExpandAll}>
              Expand all
            </Button>
            <Button variant="ghost" onClick={onCollapseAll}>
              Collapse all
            </Button>
          </span>
        )}
      </div>
      {image !== null && imageShown && <DataImage url={image} alt={`Value of ${row.path}`} />}
    </div>
  );
}

/** Formats strings as their text, other values as JSON; the root stays unchanged. */
function formatLogText(row: ValueRow, rootText: string): string {
  if (row.node.kind === "string") return decodeString(row.node.raw);
  return row.id === ROOT_ID ? rootText : formatNode(row.node);
}

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

function ValueLine({ row }: { row: ValueRow }) {
  const Chevron = row.expanded ? ChevronDown : ChevronRight;
  return (
    <>
      <span aria-hidden className="flex h-5 w-4 shrink-0 items-center text-faint">
        {row.expanded !== null && <Chevron size={12} />}
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
