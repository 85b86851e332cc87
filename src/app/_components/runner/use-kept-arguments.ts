import type { ArgumentsEditorHandle } from "@/app/_components/arguments-editor/use-arguments-editor";
import { useKeptDraft } from "@/app/_kit/use-kept-draft";

/**
 * Keeps what is typed for this tab, and restores it on the next visit of the tool. A null name keeps nothing.
 * @returns whether the tool has changed since these arguments were typed
 */
export function useKeptArguments(
  toolName: string | null,
  definitionKey: string,
  editor: ArgumentsEditorHandle,
): boolean {
  const { state, text, isDirty, dispatch } = editor;
  const typed = text ?? (state.mode === "json" ? state.text : undefined);
  const { changed } = useKeptDraft({
    name: toolName === null ? null : `arguments.${toolName}`,
    base: definitionKey,
    text: isDirty ? typed : null,
    onRestore: (kept) => dispatch({ type: "load", text: kept, done: "restored" }),
  });
  return changed;
}
