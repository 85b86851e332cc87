"use client";

import { jsonParseLinter } from "@codemirror/lang-json";
import { linter } from "@codemirror/lint";
import { Compartment } from "@codemirror/state";
import { basicSetup, EditorView } from "codemirror";
import { useEffect, useEffectEvent, useRef } from "react";
import { jsonEditorExtensions, jsonEditorFrame } from "./json-editor-extensions";
import type { JsonEditorProps } from "./json-editor-props";

/** An empty text is not yet a mistake worth marking. */
function lintJson(view: EditorView) {
  return view.state.doc.toString().trim() === "" ? [] : jsonParseLinter()(view);
}

function attributes({ label, invalid, describedBy }: Pick<JsonEditorProps, "label" | "invalid" | "describedBy">) {
  return EditorView.contentAttributes.of({
    "aria-label": label,
    ...(invalid ? { "aria-invalid": "true" } : {}),
    ...(describedBy ? { "aria-describedby": describedBy } : {}),
  });
}

/** Tab is left to the page: the keyboard gets out of the editor as it got in. */
export function JsonEditorView({ value, onChange, label, invalid, minLines = 6, describedBy }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<{ view: EditorView; naming: Compartment } | null>(null);
  const changed = useEffectEvent((text: string) => {
    if (text !== value) onChange(text);
  });
  const initial = useEffectEvent(() => ({ value, label, invalid, minLines, describedBy }));

  // CodeMirror: made once, it owns its part of the page.
  useEffect(() => {
    if (host.current === null) return;
    const start = initial();
    const naming = new Compartment();
    const view = new EditorView({
      doc: start.value,
      parent: host.current,
      extensions: [
        basicSetup,
        jsonEditorExtensions(`${start.minLines * 1.6 + 1}em`, changed),
        linter(lintJson, { delay: 300 }),
        naming.of(attributes(start)),
      ],
    });
    editor.current = { view, naming };
    return () => {
      editor.current = null;
      view.destroy();
    };
  }, []);

  // CodeMirror: takes over a text that was changed elsewhere.
  useEffect(() => {
    const view = editor.current?.view;
    if (view === undefined || view.state.doc.toString() === value) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
  }, [value]);

  // CodeMirror: its accessible name and state.
  useEffect(() => {
    const current = editor.current;
    if (current === null) return;
    current.view.dispatch({ effects: current.naming.reconfigure(attributes({ label, invalid, describedBy })) });
  }, [label, invalid, describedBy]);

  return <div ref={host} className={jsonEditorFrame(invalid === true)} />;
}
