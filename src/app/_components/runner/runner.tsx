"use client";

import { CircleStop, Hand, Play } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { approvalReason } from "@/app/_components/approvals/approval-words";
import { ArgumentsEditor } from "@/app/_components/arguments-editor/arguments-editor";
import { useArgumentsEditor } from "@/app/_components/arguments-editor/use-arguments-editor";
import { WillBeSent } from "@/app/_components/arguments-editor/will-be-sent";
import { Button } from "@/app/_ui/button";
import { Kbd } from "@/app/_ui/kbd";
import type { ExecutionDetail, Fault, ToolDefinition } from "@/lib/contract";
import type { ToolApproval } from "@/lib/contract/approval";
import { useArgumentVerdict } from "./use-argument-verdict";
import { useRun } from "./use-run";

export interface RunnerColumnProps {
  toolName: string;
  definition: ToolDefinition;
  /** Changes when the definition does. */
  definitionKey: string;
  initialText: string;
  run: ReturnType<typeof useRun>;
  /** The execution that a run of this editor replays. */
  parentId?: string;
  /** Why the tool cannot be run at all. */
  unavailable?: string | null;
  runLabel?: string;
  /** Whether a person is asked before it runs. */
  approval?: ToolApproval;
}

export interface RunnerProps extends Omit<RunnerColumnProps, "run" | "definitionKey"> {
  onExecution: (execution: ExecutionDetail) => void;
}

/** A runner that hands each execution on as soon as the server knows it, and keeps its own state. */
export function Runner({ onExecution, ...column }: RunnerProps) {
  return <RunnerColumn {...column} definitionKey="" run={useRun(onExecution)} />;
}

/** Arguments, what will be sent, and the buttons that send it. The result belongs to whoever holds `run`. */
export function RunnerColumn(props: RunnerColumnProps) {
  const { toolName, definition, definitionKey, initialText, run, parentId, unavailable = null } = props;
  const editor = useArgumentsEditor(initialText);
  const verdict = useArgumentVerdict(toolName, definitionKey, editor.text);
  const [checking, setChecking] = useState(false);
  const [checkError, setCheckError] = useState<string | null>(null);
  const [attempted, setAttempted] = useState(false);
  // An untouched form need not open in red: that something is required, its mark says.
  const quiet = !attempted && !editor.isDirty && parentId === undefined;
  const shownFaults = editor.broken !== null ? NO_FAULTS : quiet ? verdict.faults.filter(isNotMissing) : verdict.faults;
  const blocked = blockReason(editor.broken, verdict.faults, verdict.note, unavailable);

  const send = (skipValidation: boolean): void => {
    if (editor.text === null || unavailable !== null || run.running) return;
    run.start({
      tool: toolName,
      argumentsText: editor.text,
      ...(skipValidation ? { skipValidation } : {}),
      ...(parentId === undefined ? {} : { parentId }),
    });
  };
  /** The verdict on screen may be of an older text: ask about this one before anything runs. */
  const runChecked = async (): Promise<void> => {
    if (editor.text === null || checking || run.running || unavailable !== null) return;
    setChecking(true);
    setCheckError(null);
    try {
      const { valid } = await verdict.check(editor.text);
      if (valid) send(false);
    } catch (error) {
      setCheckError(error instanceof Error ? error.message : "The arguments could not be checked");
    } finally {
      setChecking(false);
    }
  };
  useRunShortcut(() => {
    setAttempted(true);
    void runChecked();
  });

  return (
    <section aria-label="Arguments" className="flex min-h-0 min-w-0 flex-1 flex-col bg-bg">
      <div className="flex min-h-0 flex-1 flex-col">
        <ArgumentsEditor
          schema={definition.parameters}
          state={editor.state}
          dispatch={editor.dispatch}
          faults={shownFaults}
        />
      </div>
      <WillBeSent text={editor.text} faults={shownFaults} broken={editor.broken} />
      {(run.error ?? checkError) !== null && (
        <p role="alert" className="border-line border-t bg-bad-bg px-3.5 py-2 text-bad text-xs">
          {run.error ?? checkError}
        </p>
      )}
      {props.approval?.required && <AsksFirst approval={props.approval} />}
      <footer className="flex min-h-11 flex-wrap items-center gap-2 border-line border-t bg-panel px-3.5 py-1.5">
        <span className="ml-auto flex min-w-0 items-center gap-2">
          {blocked !== null && (
            <span id="run-blocked" className="hidden truncate text-faint text-xs xl:inline" title={blocked}>
              {blocked}
            </span>
          )}
          {verdict.faults.length > 0 && editor.text !== null && unavailable === null && !run.running && (
            <Button
              onClick={() => send(true)}
              title="Sends the arguments although they are invalid, to see the tool's own errors"
            >
              Run anyway
            </Button>
          )}
          <RunButton
            running={run.running}
            blocked={blocked}
            label={props.runLabel ?? "Run"}
            onRun={() => void runChecked()}
            onBlocked={() => setAttempted(true)}
            onCancel={run.cancel}
          />
        </span>
      </footer>
    </section>
  );
}

/** So that nobody wonders why pressing Run runs nothing yet. */
function AsksFirst({ approval }: { approval: ToolApproval }) {
  return (
    <p className="flex gap-2 border-line border-t bg-warn-bg px-3.5 py-1.5 text-xs">
      <Hand aria-hidden size={14} strokeWidth={1.6} className="mt-0.5 shrink-0 text-warn" />
      <span>
        <span className="font-medium text-warn">Run asks for approval first.</span> {approvalReason(approval)}
      </span>
    </p>
  );
}

interface RunButtonProps {
  running: boolean;
  blocked: string | null;
  label: string;
  onRun: () => void;
  /** Pressed although something is wrong: time to say what. */
  onBlocked: () => void;
  onCancel: () => void;
}

function RunButton({ running, blocked, label, onRun, onBlocked, onCancel }: RunButtonProps) {
  if (running) {
    return (
      <Button variant="danger" onClick={onCancel}>
        <CircleStop aria-hidden size={14} strokeWidth={1.6} />
        Cancel
      </Button>
    );
  }
  // Not `disabled`: a blocked button must be reachable to say why.
  return (
    <Button
      variant="primary"
      aria-disabled={blocked !== null}
      title={blocked ?? undefined}
      aria-description={blocked ?? undefined}
      onClick={blocked === null ? onRun : onBlocked}
    >
      <Play aria-hidden size={13} strokeWidth={1.8} />
      {label}
      <Kbd plain>⌘↵</Kbd>
    </Button>
  );
}

const NO_FAULTS: Fault[] = [];

function isNotMissing(fault: Fault): boolean {
  return fault.message !== "missing";
}

function blockReason(
  broken: { line: number; column: number; message: string } | null,
  faults: readonly Fault[],
  note: string | null,
  unavailable: string | null,
): string | null {
  if (unavailable !== null) return unavailable;
  if (broken !== null) return `Line ${broken.line}, column ${broken.column}: ${broken.message}`;
  if (note !== null) return note;
  const [first] = faults;
  if (first === undefined) return null;
  if (faults.length > 1) return `${faults.length} arguments are invalid`;
  return first.message === "missing" ? `${first.path} is required` : "1 argument is invalid";
}

/** Ctrl+Enter or Cmd+Enter, wherever the focus is on the page. */
function useRunShortcut(onRun: () => void): void {
  const newest = useRef(onRun);
  // Outside system: the document's keyboard.
  useEffect(() => {
    newest.current = onRun;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
      // A field may have kept the key from breaking its line; a dialog in front has the key for itself.
      if (event.target instanceof Element && event.target.closest('[role="dialog"]')) return;
      event.preventDefault();
      newest.current();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}
