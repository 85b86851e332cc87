import type { ArgumentsEditorHandle } from "@/app/_kit/arguments-editor/use-arguments-editor";
import { useKeptDraft } from "@/app/_kit/use-kept-draft";
import type { ToolDefinition } from "@/lib/contract/tool-definition";
import { NOT_KEPT, replaceMarked } from "@/lib/schema/sensitive/replace-marked";

/**
 * Keeps what is typed for this tab, except for secret values, and restores it on the next visit of the tool. A null name keeps nothing.
 * @returns whether the tool has changed since these arguments were typed
 */
export function useKeptArguments(
  toolName: string | null,
  definition: ToolDefinition,
  definitionKey: string,
  editor: ArgumentsEditorHandle,
): boolean {
  const { state, text, isDirty, dispatch } = editor;
  const typed = text ?? (state.mode === "json" ? state.text : undefined);
  const kept = typed === undefined ? undefined : (replaceMarked(typed, definition, NOT_KEPT) ?? undefined);
  const { changed } = useKeptDraft({
    name: toolName === null ? null : `arguments.${toolName}`,
    base: definitionKey,
    text: isDirty ? kept : null,
    onRestore: (kept) => dispatch({ type: "load", text: kept, done: "restored" }),
  });
  return changed;
}
