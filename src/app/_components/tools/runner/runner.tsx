import { CircleStop, Hand, Play } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { describeApprovalCause } from "@/app/_components/approvals/summary/approval-words";
import { ArgumentsEditor } from "@/app/_kit/arguments-editor/arguments-editor";
import { describeBlock, isMissing } from "@/app/_kit/arguments-editor/fault-tree";
import { RequestBody } from "@/app/_kit/arguments-editor/request-body";
import { useToolVerdict } from "@/app/_kit/arguments-editor/use-argument-verdict";
import { type ArgumentsEditorHandle, useArgumentsEditor } from "@/app/_kit/arguments-editor/use-arguments-editor";
import { ShortcutKeys } from "@/app/_kit/shortcut-keys";
import { useKeptDraft } from "@/app/_kit/use-kept-draft";
import { useSubmitKey } from "@/app/_kit/use-submit-key";
import { useDenial } from "@/app/_ui/access";
import { AccessNotice } from "@/app/_ui/access-notice";
import { Button } from "@/app/_ui/button";
import type { ToolApproval } from "@/lib/contract/approval";
import type { Fault } from "@/lib/contract/envelope";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { getServerName, type ToolDefinition } from "@/lib/contract/tool-definition";
import { initialArguments } from "@/lib/schema/describe/initial-values";
import { CONCEALED, NOT_KEPT, replaceMarked } from "@/lib/schema/sensitive/replace-marked";
import { useToolCall } from "./use-tool-call";

interface RunnerColumnProps {
  toolName: string;
  definition: ToolDefinition;
  /** Changes when the definition does. */
  definitionKey: string;
  /** Null for a form that starts without arguments of an earlier call. */
  initialText: string | null;
  run: ReturnType<typeof useToolCall>;
  /** The execution that a run of this editor replays. */
  parentId?: string;
  /** Why the tool cannot be run at all. */
  unavailable?: string | null;
  runLabel?: string;
  /** Whether the tool requires approval. */
  approval?: ToolApproval;
  /** Content above the buttons. */
  notes?: ReactNode;
  /** Restores what was typed for the tool in this tab, and keeps it. */
  keepsArguments?: boolean;
  /** Replaces the arguments each time a new object is passed. */
  loaded?: { argumentsText: string } | null;
}

interface RunnerProps extends Omit<RunnerColumnProps, "run" | "definitionKey"> {
  onExecution: (execution: ExecutionDetail) => void;
}

/** A runner that hands each execution on as soon as the server knows it, and keeps its own state. */
export function Runner({ onExecution, ...column }: RunnerProps) {
  return <RunnerColumn {...column} definitionKey="" run={useToolCall(onExecution)} />;
}

/** Arguments, what will be sent, and the buttons that send it. The caller shows the result of `run`. */
export function RunnerColumn(props: RunnerColumnProps) {
  const { toolName, definition, definitionKey, initialText, run, parentId, unavailable = null } = props;
  const editor = useArgumentsEditor(initialText ?? firstArguments(definition), definition.parameters);
  const outdated = useKeptArguments(props.keepsArguments ? toolName : null, definition, definitionKey, editor);
  const { loaded = null } = props;
  const { dispatch } = editor;
  useEffect(() => {
    if (loaded !== null) dispatch({ type: "load", text: loaded.argumentsText, done: "loaded" });
  }, [loaded, dispatch]);
  const verdict = useToolVerdict(toolName, definitionKey, editor.text);
  const [checking, setChecking] = useState(false);
  const [checkError, setCheckError] = useState<string | null>(null);
  const [attempted, setAttempted] = useState(false);
  const section = useRef<HTMLElement>(null);
  const seeksFault = useRef(false);
  // An untouched form need not open in red: that something is required, its mark says.
  const quiet = !attempted && !editor.isDirty && parentId === undefined;
  const shownFaults =
    editor.broken !== null ? NO_FAULTS : quiet ? verdict.faults.filter((fault) => !isMissing(fault)) : verdict.faults;
  const denial = useDenial("run");
  const obstacle = unavailable ?? (editor.broken === null ? verdict.note : null);
  const blocked = obstacle ?? describeBlock(editor.broken, verdict.faults);

  const send = (skipValidation: boolean): void => {
    if (editor.text === null || denial !== null || unavailable !== null || run.running) return;
    run.start({
      name: toolName,
      argumentsText: editor.text,
      ...(skipValidation ? { skipValidation } : {}),
      ...(parentId === undefined ? {} : { parentId }),
    });
  };
  /** The verdict on screen may be of an older text: ask about this one before anything runs, or is refused. */
  const runChecked = async (): Promise<void> => {
    if (denial !== null) return;
    setAttempted(true);
    if (editor.text === null || checking || run.running || unavailable !== null) return;
    setChecking(true);
    setCheckError(null);
    try {
      const { valid } = await verdict.check(editor.text);
      if (valid) send(false);
      else seeksFault.current = true;
    } catch (error) {
      setCheckError(error instanceof Error ? error.message : "Couldn't check the arguments. Try again.");
    } finally {
      setChecking(false);
    }
  };
  useSubmitKey(() => void runChecked(), section);
  // Outside system: the keyboard focus, once the faults of a refused run are marked.
  useEffect(() => {
    if (!seeksFault.current) return;
    const field = section.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (!field) return;
    seeksFault.current = false;
    field.focus();
  });

  const offersAnyway =
    !quiet && verdict.faults.length > 0 && editor.text !== null && unavailable === null && !run.running;
  const anyway = useRef<HTMLButtonElement>(null);
  const ranAnyway = useRef(false);
  // Outside system: the keyboard focus, which the button loses while it is gone.
  useEffect(() => {
    if (run.running || !offersAnyway || !ranAnyway.current) return;
    ranAnyway.current = false;
    if (section.current?.contains(document.activeElement)) anyway.current?.focus();
  }, [run.running, offersAnyway]);

  return (
    <section ref={section} aria-label="Arguments" className="flex min-h-0 min-w-0 flex-1 flex-col bg-bg">
      <AccessNotice needs="run" className="m-3.5 mb-0" />
      <div className="flex min-h-0 flex-1 flex-col">
        <ArgumentsEditor
          schema={definition.parameters}
          state={editor.state}
          dispatch={editor.dispatch}
          faults={editor.broken === null ? [...shownFaults, ...verdict.warnings] : NO_FAULTS}
          sensitive={definition.sensitive?.arguments}
        />
      </div>
      <ConcealedBody editor={editor} definition={definition} />
      {(run.error ?? checkError) !== null && (
        <p role="alert" className="border-line border-t bg-bad-bg px-3.5 py-2 text-bad text-xs">
          {run.error ?? checkError}
        </p>
      )}
      {outdated && (
        <p role="status" className="border-line border-t px-3.5 py-1.5 text-warn text-xs">
          The tool has changed since you entered these arguments.
        </p>
      )}
      {props.notes}
      {props.approval?.required && <ApprovalNote approval={props.approval} server={getServerName(props.definition)} />}
      <footer className="flex min-h-11 flex-wrap items-center gap-2 border-line border-t bg-panel px-3.5 py-1.5 max-lg:sticky max-lg:bottom-0 max-lg:z-10">
        <span className="ml-auto flex min-w-0 items-center gap-2">
          {obstacle !== null && <span className="min-w-0 text-mute text-xs">{obstacle}</span>}
          {offersAnyway && (
            <Button
              ref={anyway}
              needs="run"
              onClick={() => {
                focusRunButton(section.current);
                ranAnyway.current = true;
                send(true);
              }}
              title="Sends the invalid arguments to see the tool's own errors"
            >
              Run anyway
            </Button>
          )}
          <RunButton
            running={run.running}
            blocked={blocked}
            label={props.runLabel ?? "Run"}
            onRun={() => void runChecked()}
            onCancel={run.cancel}
            canceling={run.canceling}
          />
        </span>
      </footer>
    </section>
  );
}

interface ConcealedBodyProps {
  editor: ArgumentsEditorHandle;
  definition: ToolDefinition;
}

/** Shows the request body without secret values. */
function ConcealedBody({ editor: { text, state }, definition }: ConcealedBodyProps) {
  const shownText = text === null ? null : replaceMarked(text, definition, CONCEALED);
  return <RequestBody {...{ text, shownText }} mode={state.mode} />;
}

/** Explains why pressing Run does not run the tool at once. */
function ApprovalNote({ approval, server }: { approval: ToolApproval; server: string | null }) {
  return (
    <p className="flex gap-2 border-line border-t bg-warn-bg px-3.5 py-1.5 text-xs">
      <Hand size={14} className="mt-0.5 shrink-0 text-warn" />
      <span>
        <span className="font-medium text-warn">Approval required:</span> {describeApprovalCause(approval, server)}.
      </span>
    </p>
  );
}

/** Run and Cancel are one button, so the focus stays on it. */
function focusRunButton(section: HTMLElement | null): void {
  section?.querySelector<HTMLElement>("[data-run]")?.focus();
}

interface RunButtonProps {
  running: boolean;
  blocked: string | null;
  label: string;
  onRun: () => void;
  onCancel: () => void;
  canceling: boolean;
}

function RunButton({ running, blocked, label, onRun, onCancel, canceling }: RunButtonProps) {
  if (running) {
    return (
      <Button
        icon={CircleStop}
        data-run=""
        needs="run"
        variant="danger"
        // The button is not `disabled`, which would remove the focus; the focus stays here when the call has ended.
        aria-disabled={canceling}
        onClick={canceling ? undefined : onCancel}
      >
        {canceling ? "Cancelling…" : "Cancel"}
      </Button>
    );
  }
  // The button is not `disabled`: users must be able to focus it to learn why it is blocked.
  return (
    <Button
      icon={Play}
      data-run=""
      needs="run"
      variant="primary"
      aria-disabled={blocked !== null}
      title={blocked ?? undefined}
      aria-description={blocked ?? undefined}
      onClick={onRun}
    >
      {label}
      <ShortcutKeys with="↵" plain />
    </Button>
  );
}

const NO_FAULTS: Fault[] = [];

/**
 * The arguments that the form of a tool starts with. Servers often require a parameter and give it a default in the same
 * breath, so for their tools it is filled in: a user sees it and it is sent as written. Own tools start without values.
 */
function firstArguments({ implementation, parameters }: ToolDefinition): string {
  return JSON.stringify(initialArguments(parameters, implementation.type === "mcp"));
}

/**
 * Keeps what is typed for this tab, except for secret values, and restores it on the next visit of the tool. A null name keeps nothing.
 * @returns whether the tool has changed since these arguments were typed
 */
function useKeptArguments(
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
