import { json } from "@codemirror/lang-json";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { lintGutter } from "@codemirror/lint";
import { type Extension, Prec } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { EditorView } from "codemirror";

/** Ctrl/Cmd+Enter inserts no line break: the event bubbles to the form that runs the tool. */
const pageKeys = Prec.highest(keymap.of([{ key: "Mod-Enter", run: () => true }]));

function cspNonce(): Extension {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
  return nonce ? EditorView.cspNonce.of(nonce) : [];
}

/** The extensions of every JSON editor of the console. Tab is left to the page, so that the keyboard can leave the editor. */
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

const token = (name: string) => `var(--color-${name})`;

/** Uses the variables of the style sheet, so the editor follows the theme. */
const editorTheme = EditorView.theme({
  "&": { color: token("text"), backgroundColor: token("panel"), fontSize: "var(--text-xs)", maxHeight: "60dvh" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { caretColor: token("text"), padding: "6px 0" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: token("text") },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: token("accent-bg"),
  },
  ".cm-gutters": { backgroundColor: token("panel"), color: token("faint"), border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-matchingBracket, &.cm-focused .cm-nonmatchingBracket": {
    backgroundColor: token("line"),
    color: token("text"),
  },
  ".cm-selectionMatch": { backgroundColor: token("line") },
  ".cm-searchMatch": { backgroundColor: token("warn-bg"), outline: `1px solid ${token("warn")}` },
  ".cm-foldPlaceholder": { backgroundColor: token("line"), border: "none", color: token("mute") },
  ".cm-panels, .cm-tooltip": {
    backgroundColor: token("rail"),
    color: token("text"),
    border: `1px solid ${token("line2")}`,
  },
  ".cm-panel input, .cm-panel button": {
    backgroundImage: "none",
    backgroundColor: token("panel"),
    color: token("text"),
    border: `1px solid ${token("edge")}`,
    borderRadius: "4px",
  },
  ".cm-diagnostic-error": { borderLeftColor: token("bad") },
});

const editorColours = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.propertyName, color: token("key") },
    { tag: tags.string, color: token("str") },
    { tag: [tags.number, tags.bool, tags.null], color: token("num") },
    { tag: tags.invalid, color: token("bad") },
  ]),
);
