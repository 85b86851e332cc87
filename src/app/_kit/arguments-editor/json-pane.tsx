import { bracketMatching, foldGutter, indentOnInput } from "@codemirror/language";
import { lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Compartment, type Extension } from "@codemirror/state";
import { keymap, lineNumbers } from "@codemirror/view";
import { EditorView, minimalSetup } from "codemirror";
import { type Ref, useEffect, useEffectEvent, useImperativeHandle, useMemo, useRef } from "react";
import { jsonEditorExtensions } from "@/app/_ui/json-editor-extensions";
import { jsonEditorFrame } from "@/app/_ui/json-editor-frame";
import type { Fault } from "@/lib/contract/envelope";
import type { ArgumentsDispatch } from "./arguments-reducer";
import type { ArgumentsState } from "./arguments-state";
import { findOffset, type JsonProblem, jsonProblems } from "./json-problems";

interface JsonPaneProps {
  state: ArgumentsState;
  dispatch: ArgumentsDispatch;
  faults: readonly Fault[];
  disabled: boolean;
  idPrefix: string;
  /** The place to put the cursor at; a new object asks again. */
  target: { pointer: string } | null;
}

interface ProblemListProps {
  id: string;
  problems: readonly JsonProblem[];
  onGoTo: (problem: JsonProblem) => void;
}

function ProblemList({ id, problems, onGoTo }: ProblemListProps) {
  return (
    <ul id={id} aria-label="Problems in the JSON" className="mt-2 text-xs">
      {problems.map((problem) => (
        <li key={`${problem.from} ${problem.message}`}>
          <button
            type="button"
            onClick={() => onGoTo(problem)}
            className={`min-h-6 rounded-sm text-left [overflow-wrap:anywhere] hover:underline ${problem.severity === "error" ? "text-bad" : "text-warn"}`}
          >
            Line {problem.line}, column {problem.column}: {problem.message}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** JSON mode: the text while it is typed, its problem, and the position. */
export function JsonPane({ state, dispatch, faults, disabled, idPrefix, target }: JsonPaneProps) {
  const code = useRef<JsonCodeHandle>(null);
  const { text, fault, refusal } = state;
  const problems = useMemo(() => jsonProblems(text, fault, faults), [text, fault, faults]);
  const listId = `${idPrefix}-json-problems`;

  // CodeMirror: moves its cursor to the position because of which the mode did not change.
  useEffect(() => {
    if (refusal !== null) code.current?.goTo(refusal.fault.offset);
  }, [refusal]);

  // CodeMirror: its cursor goes to the fault that was asked for, in the text as it is by then.
  useEffect(() => {
    if (target !== null) code.current?.goTo(findOffset(code.current.text(), target.pointer));
  }, [target]);

  return (
    <div className="p-3.5">
      {refusal !== null && (
        <p role="alert" className="mb-2 rounded-md bg-bad-bg px-2.5 py-1.5 text-bad text-xs">
          Fix the JSON before switching.
          {fault === null && ` It ${refusal.fault.message}.`}
        </p>
      )}
      <JsonCode
        ref={code}
        text={text}
        revision={state.revision}
        problems={problems}
        disabled={disabled}
        describedBy={problems.length > 0 ? listId : undefined}
        onChange={(next) => dispatch({ type: "typed", text: next })}
      />
      {problems.length > 0 && (
        <ProblemList id={listId} problems={problems} onGoTo={({ from }) => code.current?.goTo(from)} />
      )}
    </div>
  );
}

interface JsonCodeHandle {
  /** Focuses the editor with its cursor at an offset of the text. */
  goTo: (offset: number) => void;
  text: () => string;
}

interface JsonCodeProps {
  ref: Ref<JsonCodeHandle>;
  text: string;
  /** The editor takes `text` over when this changes, and is the one who knows it in between. */
  revision: number;
  problems: readonly JsonProblem[];
  disabled: boolean;
  /** Id of the list of problems. */
  describedBy: string | undefined;
  onChange: (text: string) => void;
}

function attributes({ disabled, describedBy, invalid }: { disabled: boolean; describedBy?: string; invalid: boolean }) {
  return [
    EditorView.editable.of(!disabled),
    EditorView.contentAttributes.of({
      "aria-label": "Arguments as JSON",
      ...(disabled ? { "aria-readonly": "true", tabindex: "0" } : {}),
      ...(invalid ? { "aria-invalid": "true" } : {}),
      ...(describedBy === undefined ? {} : { "aria-describedby": describedBy }),
    }),
  ];
}

function extensions(changing: Compartment, onText: (text: string) => void): Extension[] {
  return [
    minimalSetup,
    lineNumbers(),
    foldGutter(),
    bracketMatching(),
    indentOnInput(),
    keymap.of(lintKeymap),
    jsonEditorExtensions("12em", onText),
    changing.of([]),
  ];
}

function JsonCode({ ref, text, revision, problems, disabled, describedBy, onChange }: JsonCodeProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<{ view: EditorView; changing: Compartment; revision: number } | null>(null);
  const invalid = problems.some((problem) => problem.severity === "error");
  const current = useEffectEvent(() => text);
  const currentRevision = useEffectEvent(() => revision);
  const typed = useEffectEvent((next: string) => {
    if (next !== text) onChange(next);
  });

  // CodeMirror: created once, it owns its part of the page.
  useEffect(() => {
    if (host.current === null) return;
    const changing = new Compartment();
    const view = new EditorView({ doc: current(), parent: host.current, extensions: extensions(changing, typed) });
    editor.current = { view, changing, revision: currentRevision() };
    return () => {
      editor.current = null;
      view.destroy();
    };
  }, []);

  // CodeMirror: takes over a text that was replaced as a whole. Not on every change: it may be ahead of `text`.
  useEffect(() => {
    const made = editor.current;
    const next = current();
    if (made === null || made.revision === revision) return;
    made.revision = revision;
    if (made.view.state.doc.toString() === next) return;
    made.view.dispatch({ changes: { from: 0, to: made.view.state.doc.length, insert: next } });
  }, [revision]);

  // CodeMirror: its name, what describes it, and whether it can be typed in.
  useEffect(() => {
    const made = editor.current;
    made?.view.dispatch({ effects: made.changing.reconfigure(attributes({ disabled, describedBy, invalid })) });
  }, [disabled, describedBy, invalid]);

  // CodeMirror: marks in the text and beside it.
  useEffect(() => {
    const view = editor.current?.view;
    if (view === undefined) return;
    const end = view.state.doc.length;
    const marks = problems.map(({ from, to, severity, message }) => ({
      from: Math.min(from, end),
      to: Math.min(to, end),
      severity,
      message,
    }));
    view.dispatch(setDiagnostics(view.state, marks));
  }, [problems]);

  useImperativeHandle(
    ref,
    () => ({
      goTo: (offset) => {
        const view = editor.current?.view;
        if (view === undefined) return;
        view.dispatch({ selection: { anchor: Math.min(offset, view.state.doc.length) }, scrollIntoView: true });
        view.focus();
      },
      text: () => editor.current?.view.state.doc.toString() ?? "",
    }),
    [],
  );
  return <div ref={host} className={jsonEditorFrame(invalid)} />;
}
