"use client";

import { bracketMatching, foldGutter, indentOnInput } from "@codemirror/language";
import { lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Compartment, type Extension } from "@codemirror/state";
import { keymap, lineNumbers } from "@codemirror/view";
import { EditorView, minimalSetup } from "codemirror";
import { type Ref, useEffect, useEffectEvent, useImperativeHandle, useRef } from "react";
import { jsonEditorExtensions } from "@/app/_ui/json-editor-extensions";
import { jsonEditorFrame } from "@/app/_ui/json-editor-frame";
import type { JsonProblem } from "./json-problems";

export interface JsonCodeHandle {
  /** Focuses the editor with its cursor at an offset of the text. */
  goTo: (offset: number) => void;
  text: () => string;
}

export interface JsonCodeProps {
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

export function JsonCode({ ref, text, revision, problems, disabled, describedBy, onChange }: JsonCodeProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<{ view: EditorView; changing: Compartment; revision: number } | null>(null);
  const invalid = problems.some((problem) => problem.severity === "error");
  const current = useEffectEvent(() => text);
  const currentRevision = useEffectEvent(() => revision);
  const typed = useEffectEvent((next: string) => {
    if (next !== text) onChange(next);
  });

  // CodeMirror: made once, it owns its part of the page.
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
