import { useEffect, useRef } from "react";
import type { ArgumentsEditorHandle } from "@/app/_components/arguments-editor/use-arguments-editor";

/** Longer arguments are not kept: a site has about 5 MB. */
const MAX_CHARS = 500_000;

type Part = "arguments" | "execution";

const keyOf = (part: Part, toolName: string): string => `toolroom.${part}.${toolName}`;

/** What this tab kept of a tool's last run; null where there is none, or the browser keeps nothing. */
export function readKept(part: Part, toolName: string): string | null {
  try {
    return sessionStorage.getItem(keyOf(part, toolName));
  } catch {
    return null;
  }
}

export function keep(part: Part, toolName: string, text: string | null): void {
  try {
    if (text === null || text.length > MAX_CHARS) sessionStorage.removeItem(keyOf(part, toolName));
    else sessionStorage.setItem(keyOf(part, toolName), text);
  } catch {
    // Blocked or full: the arguments are lost with the page, as without it.
  }
}

/** Keeps what is typed for this tab, and restores it on the next visit of the tool. A null name keeps nothing. */
export function useKeptArguments(toolName: string | null, { state, text, isDirty, dispatch }: ArgumentsEditorHandle) {
  const untouched = useRef(state);
  // Outside system: the tab's storage, which the server does not see.
  useEffect(() => {
    const kept = toolName === null ? null : readKept("arguments", toolName);
    if (kept !== null) dispatch({ type: "load", text: kept, done: "restored" });
  }, [toolName, dispatch]);
  useEffect(() => {
    if (toolName === null || state === untouched.current) return;
    const typed = text ?? (state.mode === "json" ? state.text : null);
    if (!isDirty) keep("arguments", toolName, null);
    else if (typed !== null) keep("arguments", toolName, typed);
  }, [toolName, state, text, isDirty]);
}
