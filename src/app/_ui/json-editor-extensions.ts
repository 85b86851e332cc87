import { json } from "@codemirror/lang-json";
import { lintGutter } from "@codemirror/lint";
import { type Extension, Prec } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import { EditorView } from "codemirror";
import { editorColours, editorTheme } from "./json-editor-theme";

/** Ctrl/Cmd+Enter inserts no line break: the event bubbles to the form that runs the tool. */
const pageKeys = Prec.highest(keymap.of([{ key: "Mod-Enter", run: () => true }]));

function cspNonce(): Extension {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
  return nonce ? EditorView.cspNonce.of(nonce) : [];
}

/** What every JSON editor of the console shares. Tab is left to the page, so the keyboard gets out as it got in. */
export function jsonEditorExtensions(minHeight: string, onText: (text: string) => void): Extension[] {
  return [
    cspNonce(),
    pageKeys,
    json(),
    lintGutter(),
    EditorView.lineWrapping,
    editorTheme,
    editorColours,
    EditorView.theme({ ".cm-content": { minHeight } }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onText(update.state.doc.toString());
    }),
  ];
}
