"use client";

import { Search } from "lucide-react";
import { type KeyboardEvent, useCallback, useEffect, useMemo, useReducer, useRef, useState } from "react";
import { Button, IconButton } from "@/app/_ui/button";
import { CopyButton } from "@/app/_ui/copy-button";
import { onDemand } from "@/app/_ui/on-demand";
import { formatNode } from "@/lib/json-diff/format-node";
import { decodeString, type JsonNode, parseJsonNode } from "@/lib/json-diff/json-node";
import { ClippedText } from "./clipped-text";
import { TreeRowView } from "./tree-row-view";
import { imageDataUrl, listVisibleRows, ROOT_ID, type ValueRow } from "./tree-rows";
import { initialTreeState, isTreeKey, treeReducer } from "./tree-state";

const DataImage = onDemand(() => import("./data-image").then((module) => module.DataImage));

const TreeSearch = onDemand(() => import("./tree-search").then((module) => module.TreeSearch));

/** Smaller trees are seen at a glance. */
const SEARCH_FROM = 12;

/** Deeper values are shown as text: the recursive functions would exceed the stack. */
const MAX_HEIGHT = 1_000;

export interface JsonTreeProps {
  /** JSON text; anything else is shown as it is. */
  text: string;
  /** Accessible name: what this value is. */
  label: string;
}

export function JsonTree({ text, label }: JsonTreeProps) {
  const root = useMemo(() => parseJsonNode(text), [text]);
  if (!root || root.height > MAX_HEIGHT) return <ClippedText text={text} label={label} />;
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

/** The actions on the selected value. */
function TreeBar({ row, rootText, foldable, onExpandAll, onCollapseAll }: TreeBarProps) {
  const [imageShown, setImageShown] = useState(false);
  const value = useMemo(() => formatLogText(row, rootText), [row, rootText]);
  const image = useMemo(() => imageDataUrl(row.node), [row.node]);
  return (
    <div className="border-line border-t pt-1.5 text-xs">
      <div className="flex flex-wrap items-center gap-x-1">
        <span className="min-w-0 truncate font-mono text-mute">{row.path}</span>
        <CopyButton text={row.path} label="Copy path" />
        <span className="ml-1 text-mute">value</span>
        <CopyButton text={value} label="Copy value" />
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

/** Strings as their text, everything else as JSON; the whole as it came. */
function formatLogText(row: ValueRow, rootText: string): string {
  if (row.node.kind === "string") return decodeString(row.node.raw);
  return row.id === ROOT_ID ? rootText : formatNode(row.node);
}
