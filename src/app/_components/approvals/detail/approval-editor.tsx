import { useId } from "react";
import { DiffView } from "@/app/_components/executions/diff/diff-view";
import { ArgumentsEditor } from "@/app/_kit/arguments-editor/arguments-editor";
import { describeBlock } from "@/app/_kit/arguments-editor/fault-tree";
import { useToolVerdict } from "@/app/_kit/arguments-editor/use-argument-verdict";
import { useArgumentsEditor } from "@/app/_kit/arguments-editor/use-arguments-editor";
import { writeKept } from "@/app/_kit/kept-draft";
import { ShortcutKeys } from "@/app/_kit/shortcut-keys";
import { isSubmitKey } from "@/app/_kit/shortcuts";
import { useKeptDraft } from "@/app/_kit/use-kept-draft";
import { Button } from "@/app/_ui/button";
import type { ApprovalItem } from "@/lib/contract/approval";
import type { Fault } from "@/lib/contract/envelope";
import type { JsonSchema } from "@/lib/contract/json";
import { findMasks } from "@/lib/masked-value";
import { NOT_KEPT, replaceMarked } from "@/lib/schema/sensitive/replace-marked";
import { toDraftName } from "./approval-draft";
import type { Decision } from "./use-decision";

interface ApprovalEditorProps {
  item: ApprovalItem;
  decision: Decision;
  onBack: () => void;
}

function withoutSecrets(text: string, { definition }: ApprovalItem): string | undefined {
  return definition === null ? text : (replaceMarked(text, definition, NOT_KEPT) ?? undefined);
}

/** Accepts any object, for a tool whose definition was removed. */
const ANY_OBJECT: JsonSchema = { type: "object" };

/**
 * Leaves out the problems of masked values: a mask that stays represents the caller's value, which the server has
 * checked.
 */
function withoutMasked(faults: readonly Fault[], value: unknown): readonly Fault[] {
  const masks = new Set(findMasks(value));
  return masks.size === 0 ? faults : faults.filter(({ pointer }) => !masks.has(pointer));
}

/** An editor for the arguments of the call. The server validates them while the user types. */
export function ApprovalEditor({ item, decision, onBack }: ApprovalEditorProps) {
  const idPrefix = useId();
  const schema = item.definition?.parameters ?? ANY_OBJECT;
  const editor = useArgumentsEditor(item.argumentsText, schema);
  const verdict = useToolVerdict(item.toolName, `approval ${item.executionId}`, editor.text);
  const { refused } = decision;
  const faults: readonly Fault[] =
    refused !== null && refused.argumentsText === editor.text
      ? refused.faults
      : withoutMasked(verdict.faults, editor.state.value);
  const blocked = describeBlock(editor.broken, faults) ?? (editor.isDirty ? null : "No changes yet");

  const approve = (): void => {
    if (blocked !== null || editor.text === null) return;
    decision.decide({ approved: true, argumentsText: editor.text });
  };
  const { state, text, dispatch } = editor;
  const typed = text ?? (state.mode === "json" ? state.text : undefined);
  const secretless = typed === undefined ? undefined : withoutSecrets(typed, item);
  const name = toDraftName(item.executionId);
  useKeptDraft({
    name,
    base: item.argumentsText,
    text: editor.isDirty ? secretless : null,
    onRestore: (kept) => dispatch({ type: "load", text: kept, done: "restored" }),
  });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a second group around the editor's own
    <div
      role="group"
      aria-label="Edit arguments"
      onKeyDown={(event) => {
        if (!isSubmitKey(event)) return;
        // The page behind has the same key for its own button.
        event.preventDefault();
        event.stopPropagation();
        approve();
      }}
      className="flex min-w-0 flex-col gap-3"
    >
      <div className="flex max-h-[min(32rem,70dvh)] min-h-0 min-w-0 flex-col overflow-hidden rounded-lg border border-line bg-bg">
        <ArgumentsEditor
          schema={schema}
          state={editor.state}
          dispatch={editor.dispatch}
          faults={[...faults, ...verdict.warnings]}
          disabled={decision.pending}
          idPrefix={idPrefix}
          sensitive={item.definition?.sensitive?.arguments}
        />
      </div>
      {editor.isDirty && editor.text !== null && (
        <DiffView left={item.argumentsText} right={editor.text} label="Your changes" />
      )}
      {verdict.note !== null && <p className="text-warn text-xs">{verdict.note}</p>}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          needs="run"
          variant="primary"
          aria-disabled={blocked !== null || decision.pending}
          title={blocked ?? undefined}
          aria-description={blocked ?? undefined}
          onClick={approve}
        >
          {decision.pending ? "Approving…" : "Approve with changes"}
          <ShortcutKeys with="↵" plain />
        </Button>
        <Button
          onClick={() => {
            writeKept(name, null);
            onBack();
          }}
          disabled={decision.pending}
        >
          Discard changes
        </Button>
        {blocked !== null && <span className="text-mute text-xs">{blocked}</span>}
      </div>
    </div>
  );
}
