import { jsonParseLinter } from "@codemirror/lang-json";
import { linter } from "@codemirror/lint";
import { Compartment } from "@codemirror/state";
import { basicSetup, EditorView } from "codemirror";
import { useEffect, useEffectEvent, useRef } from "react";
import { jsonEditorExtensions } from "./json-editor-extensions";
import { DEFAULT_MIN_LINES, jsonEditorFrame } from "./json-editor-frame";
import type { JsonEditorProps, JsonEditorViewProps } from "./json-editor-props";

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
export function JsonEditorView(props: JsonEditorViewProps) {
  const { value, onChange, label, invalid, minLines = DEFAULT_MIN_LINES, describedBy, start } = props;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<{ view: EditorView; naming: Compartment } | null>(null);
  const changed = useEffectEvent((text: string) => {
    if (text !== value) onChange(text);
  });
  const initial = useEffectEvent(() => ({ value, label, invalid, minLines, describedBy, start }));

  // CodeMirror: made once, it owns its part of the page.
  useEffect(() => {
    if (host.current === null) return;
    const first = initial();
    const { anchor, head, focused, scrollTop } = first.start;
    const naming = new Compartment();
    const view = new EditorView({
      doc: first.value,
      selection: { anchor, head },
      parent: host.current,
      extensions: [
        basicSetup,
        jsonEditorExtensions(`${first.minLines * 1.6 + 1}em`, changed),
        linter(lintJson, { delay: 300 }),
        naming.of(attributes(first)),
      ],
    });
    editor.current = { view, naming };
    view.scrollDOM.scrollTop = scrollTop;
    if (focused) view.focus();
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
