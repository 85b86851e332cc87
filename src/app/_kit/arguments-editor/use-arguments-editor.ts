import { useMemo, useReducer } from "react";
import type { JsonSchema } from "@/lib/contract/json";
import { formLimit } from "@/lib/schema/describe/form-support";
import { type ArgumentsDispatch, argumentsReducer } from "./arguments-reducer";
import {
  type ArgumentsState,
  createArgumentsState,
  findParseError,
  isDirty,
  type ParseError,
  payloadText,
} from "./arguments-state";

export interface ArgumentsEditorHandle {
  state: ArgumentsState;
  dispatch: ArgumentsDispatch;
  /** The exact JSON text to send; null while something typed is not JSON. */
  text: string | null;
  broken: ParseError | null;
  isDirty: boolean;
}

/** Holds the arguments of one tool. Both parameters are read once; remount with a `key` for another tool. */
export function useArgumentsEditor(initialText: string, schema: JsonSchema): ArgumentsEditorHandle {
  const [state, dispatch] = useReducer(argumentsReducer, initialText, (text) =>
    createArgumentsState(text, formLimit(schema)),
  );
  return useMemo(
    () => ({ state, dispatch, text: payloadText(state), broken: findParseError(state), isDirty: isDirty(state) }),
    [state],
  );
}
