import type { JsonObject, JsonValue } from "@/lib/contract/json";
import { childPointer, escapeToken, parsePointer, pointerToPath } from "@/lib/json/json-pointer";
import { getAt, insertAt, moveAt, renameAt, setAt, unsetAt } from "@/lib/schema/value-at";
import {
  type ArgumentsMode,
  type ArgumentsState,
  createArgumentsState,
  formatJsonText,
  isDirty,
  type Replacement,
} from "./arguments-state";
import type { TextFault } from "./locate-fault";
import { prettyPayload, readPayload, rootFault } from "./payload-text";
import { NO_DRAFTS, type RawDrafts, reindexDrafts, rekeyDrafts, withDraft, withoutDrafts } from "./raw-drafts";

/** Places are JSON pointers; those of `insert`, `move`, `duplicate` and `rename` name the array or object. */
export type ArgumentsAction =
  | { type: "set"; pointer: string; value: JsonValue }
  /** Makes a property absent, or takes an element out of its array. */
  | { type: "unset"; pointer: string }
  | { type: "insert"; pointer: string; index: number; value: JsonValue }
  | { type: "remove"; pointer: string; index: number }
  | { type: "move"; pointer: string; from: number; to: number }
  | { type: "duplicate"; pointer: string; index: number }
  | { type: "rename"; pointer: string; from: string; to: string }
  /** Text in a raw field that is not JSON. */
  | { type: "draft"; pointer: string; text: string; fault: TextFault }
  | { type: "mode"; mode: ArgumentsMode }
  /** The text of JSON mode, as typed. */
  | { type: "typed"; text: string }
  | { type: "format" }
  | { type: "fill"; value: JsonObject; example?: boolean }
  /** Text from elsewhere. What was restored never replaces what a user has typed. */
  | { type: "load"; text: string; done: "restored" | "loaded" }
  | { type: "undo" }
  | { type: "dismiss" }
  | { type: "reset" };

export type ArgumentsDispatch = (action: ArgumentsAction) => void;

type EditAction = Extract<
  ArgumentsAction,
  { type: "set" | "unset" | "insert" | "remove" | "move" | "duplicate" | "rename" }
>;

function editValue(value: JsonValue, action: EditAction): JsonValue {
  const path = parsePointer(action.pointer);
  switch (action.type) {
    case "set":
      return setAt(value, path, action.value);
    case "unset":
      return unsetAt(value, path);
    case "insert":
      return insertAt(value, path, action.index, action.value);
    case "remove":
      return unsetAt(value, [...path, action.index]);
    case "move":
      return moveAt(value, path, action.from, action.to);
    case "duplicate": {
      const item = getAt(value, [...path, action.index]);
      return item === undefined ? value : insertAt(value, path, action.index + 1, item);
    }
    case "rename":
      return renameAt(value, path, action.from, action.to);
  }
}

function movedIndex(index: number, from: number, to: number): number {
  if (index === from) return to;
  if (from < to) return index > from && index <= to ? index - 1 : index;
  return index >= to && index < from ? index + 1 : index;
}

function editDrafts(drafts: RawDrafts, action: EditAction): RawDrafts {
  switch (action.type) {
    case "set":
    case "unset":
      return withoutDrafts(drafts, action.pointer);
    case "insert":
      return reindexDrafts(drafts, action.pointer, (index) => (index >= action.index ? index + 1 : index));
    case "duplicate":
      return reindexDrafts(drafts, action.pointer, (index) => (index > action.index ? index + 1 : index));
    case "remove":
      return reindexDrafts(
        withoutDrafts(drafts, childPointer(action.pointer, action.index)),
        action.pointer,
        (index) => (index > action.index ? index - 1 : index),
      );
    case "move":
      return reindexDrafts(drafts, action.pointer, (index) => movedIndex(index, action.from, action.to));
    case "rename":
      return rekeyDrafts(drafts, action.pointer, (token) =>
        token === escapeToken(action.from) ? escapeToken(action.to) : token,
      );
  }
}

function edit(state: ArgumentsState, action: EditAction): ArgumentsState {
  const value = editValue(state.value, action);
  const drafts = value === state.value && action.type !== "set" ? state.drafts : editDrafts(state.drafts, action);
  if (value === state.value && drafts === state.drafts) return state;
  return { ...state, value, drafts, refusal: null, undo: null };
}

function rejectText(state: ArgumentsState, fault: TextFault, pointer: string | null): ArgumentsState {
  return { ...state, refusal: { fault, pointer, count: (state.refusal?.count ?? 0) + 1 } };
}

function changeMode(state: ArgumentsState, mode: ArgumentsMode): ArgumentsState {
  if (mode === state.mode || (mode === "form" && state.formLimit !== null)) return state;
  if (mode === "json") {
    for (const [pointer, { fault }] of state.drafts) {
      return rejectText(state, { ...fault, message: `${pointerToPath(pointer)}: ${fault.message}` }, pointer);
    }
    return { ...state, mode, text: formatJsonText(state), textValue: state.value, refusal: null };
  }
  const fault = state.fault ?? rootFault(state.text, state.value);
  return fault === null ? { ...state, mode, refusal: null } : rejectText(state, fault, null);
}

function readTyped(state: ArgumentsState, text: string): ArgumentsState {
  const read = readPayload(text);
  const typed = { ...state, text, refusal: null, undo: null };
  return read.ok
    ? { ...typed, value: read.value, textValue: read.value, fault: null }
    : { ...typed, fault: read.fault };
}

function replaceAll(
  state: ArgumentsState,
  next: { value: JsonValue; text: string; fault: TextFault | null },
): ArgumentsState {
  const fitsForm = next.fault === null && rootFault(next.text, next.value) === null;
  return {
    ...state,
    ...next,
    textValue: next.value,
    mode: fitsForm ? state.mode : "json",
    drafts: NO_DRAFTS,
    refusal: null,
    undo: null,
    revision: state.revision + 1,
  };
}

function undoable(state: ArgumentsState, next: ArgumentsState, done: Replacement): ArgumentsState {
  const before =
    state.mode === "json"
      ? { value: state.value, text: state.text, fault: state.fault }
      : { value: state.value, text: formatJsonText(state), fault: null };
  return { ...next, undo: { before, done } };
}

/** Pure: the same state and action give the same state; an action that changes nothing gives the state itself. */
export function argumentsReducer(state: ArgumentsState, action: ArgumentsAction): ArgumentsState {
  switch (action.type) {
    case "draft": {
      const { text, fault } = action;
      return { ...state, drafts: withDraft(state.drafts, action.pointer, { text, fault }), refusal: null, undo: null };
    }
    case "mode":
      return changeMode(state, action.mode);
    case "typed":
      return readTyped(state, action.text);
    case "format":
      return state.fault === null
        ? { ...state, text: prettyPayload(state.value), textValue: state.value, revision: state.revision + 1 }
        : rejectText(state, state.fault, null);
    case "fill": {
      const next = { value: action.value, text: prettyPayload(action.value), fault: null };
      return undoable(state, replaceAll(state, next), action.example ? "example" : "filled");
    }
    case "load": {
      if (action.done === "restored" && isDirty(state)) return state;
      const { initial } = createArgumentsState(action.text);
      // Restores the text that the user typed.
      const next =
        action.done === "restored" ? { ...initial, text: action.text.trim() === "" ? "{}" : action.text } : initial;
      return undoable(state, replaceAll(state, next), action.done);
    }
    case "undo":
      return state.undo === null ? state : replaceAll(state, state.undo.before);
    case "dismiss":
      return { ...state, undo: null, refusal: null };
    case "reset":
      return undoable(state, replaceAll(state, state.initial), "reset");
    default:
      return edit(state, action);
  }
}
