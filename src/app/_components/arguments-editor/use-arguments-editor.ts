"use client";

import { useMemo, useReducer } from "react";
import { type ArgumentsDispatch, argumentsReducer } from "./arguments-reducer";
import {
  type ArgumentsState,
  type BrokenPlace,
  brokenPlace,
  createArgumentsState,
  isDirty,
  payloadText,
} from "./arguments-state";

export interface ArgumentsEditorHandle {
  state: ArgumentsState;
  dispatch: ArgumentsDispatch;
  /** The exact JSON text to send; null while something typed is not JSON. */
  text: string | null;
  broken: BrokenPlace | null;
  isDirty: boolean;
}

/** Holds the arguments of one tool. `initialText` counts once; remount with a `key` for another tool. */
export function useArgumentsEditor(initialText: string): ArgumentsEditorHandle {
  const [state, dispatch] = useReducer(argumentsReducer, initialText, createArgumentsState);
  return useMemo(
    () => ({ state, dispatch, text: payloadText(state), broken: brokenPlace(state), isDirty: isDirty(state) }),
    [state],
  );
}
