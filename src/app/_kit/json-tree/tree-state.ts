import type { JsonNode } from "@/lib/json-diff/json-node";
import { listVisibleRows, openUntil, PAGE_SIZE, ROOT_ID, type TreeRow } from "./tree-rows";

/** A tree with at most this many values starts expanded up to `INITIAL_ROWS`; a larger one at its root only. */
const LARGE_TREE = 2_000;
const INITIAL_ROWS = 200;
const EXPAND_ALL_ROWS = 2_000;

export interface TreeState {
  root: JsonNode;
  open: ReadonlySet<string>;
  shown: ReadonlyMap<string, number>;
  activeId: string;
}

type TreeAction =
  | { type: "root"; root: JsonNode }
  | { type: "select"; id: string }
  /** Selects, and opens or closes what can be. */
  | { type: "activate"; id: string }
  /** Opens the containers of the row, and selects it. */
  | { type: "reveal"; id: string }
  | { type: "key"; key: string }
  | { type: "expand_all" }
  | { type: "collapse_all" };

export function initialTreeState(root: JsonNode): TreeState {
  const open = root.size > LARGE_TREE ? new Set([ROOT_ID]) : openUntil(root, INITIAL_ROWS);
  return { root, open, shown: new Map(), activeId: ROOT_ID };
}

export function treeReducer(state: TreeState, action: TreeAction): TreeState {
  switch (action.type) {
    case "root":
      return initialTreeState(action.root);
    case "select":
      return state.activeId === action.id ? state : { ...state, activeId: action.id };
    case "activate":
      return activate({ ...state, activeId: action.id });
    case "reveal":
      return reveal(state, action.id);
    case "key":
      return pressKey(state, action.key);
    case "expand_all":
      return { ...state, open: openUntil(state.root, EXPAND_ALL_ROWS) };
    case "collapse_all":
      return { ...state, open: new Set(), activeId: ROOT_ID };
  }
}

const KEYS = new Set(["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End", "Enter", " "]);

export const isTreeKey = (key: string): boolean => KEYS.has(key);

function pressKey(state: TreeState, key: string): TreeState {
  const rows = listVisibleRows(state.root, state);
  const at = rows.findIndex((row) => row.id === state.activeId);
  const active = rows[at];
  if (!active) return { ...state, activeId: ROOT_ID };
  const expanded = active.type === "value" ? active.expanded : null;
  switch (key) {
    case "ArrowDown":
      return moveTo(state, rows[at + 1]);
    case "ArrowUp":
      return moveTo(state, rows[at - 1]);
    case "Home":
      return moveTo(state, rows[0]);
    case "End":
      return moveTo(state, rows.at(-1));
    case "ArrowRight": {
      if (expanded === false) return setExpanded(state, active.id, true);
      const next = rows[at + 1];
      return next?.parentId === active.id ? moveTo(state, next) : state;
    }
    case "ArrowLeft":
      if (expanded) return setExpanded(state, active.id, false);
      return active.parentId === null ? state : { ...state, activeId: active.parentId };
    default:
      return activate(state);
  }
}

function reveal(state: TreeState, id: string): TreeState {
  // The row itself as well: a match may be in the part of a long string that is not shown.
  const open = new Set(state.open).add(id);
  const shown = new Map(state.shown);
  let parentId = "";
  for (const step of id.split(".")) {
    if (parentId !== "") {
      open.add(parentId);
      const count = Number(step) + 1;
      if (count > (shown.get(parentId) ?? PAGE_SIZE)) shown.set(parentId, Math.ceil(count / PAGE_SIZE) * PAGE_SIZE);
    }
    parentId = parentId === "" ? step : `${parentId}.${step}`;
  }
  return { ...state, open, shown, activeId: id };
}

function activate(state: TreeState): TreeState {
  const active = listVisibleRows(state.root, state).find((row) => row.id === state.activeId);
  if (!active) return state;
  if (active.type === "value") {
    return active.expanded === null ? state : setExpanded(state, active.id, !active.expanded);
  }
  if (active.parentId === null) return state;
  const count = active.position - 1;
  const shown = new Map(state.shown).set(active.parentId, count + PAGE_SIZE);
  // The first of the new rows replaces the one that requested them.
  return { ...state, shown, activeId: `${active.parentId}.${count}` };
}

function moveTo(state: TreeState, row: TreeRow | undefined): TreeState {
  return row ? { ...state, activeId: row.id } : state;
}

function setExpanded(state: TreeState, id: string, expanded: boolean): TreeState {
  const open = new Set(state.open);
  if (expanded) open.add(id);
  else open.delete(id);
  return { ...state, open };
}
