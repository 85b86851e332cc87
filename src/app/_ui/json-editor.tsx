"use client";

import { type ComponentType, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { EditorStart, JsonEditorProps, JsonEditorViewProps } from "./json-editor-props";
import { JsonTextarea } from "./json-textarea";

interface LoadedEditor {
  View: ComponentType<JsonEditorViewProps>;
  start: EditorStart;
}

function readStart(field: HTMLTextAreaElement): EditorStart {
  const { selectionStart, selectionEnd, selectionDirection } = field;
  const backward = selectionDirection === "backward";
  return {
    anchor: backward ? selectionEnd : selectionStart,
    head: backward ? selectionStart : selectionEnd,
    focused: document.activeElement === field,
    scrollTop: field.parentElement?.parentElement?.scrollTop ?? 0,
  };
}

/** CodeMirror weighs more than half a page, so it replaces a plain text field once that is pointed at or focused. */
export function JsonEditor(props: JsonEditorProps) {
  const [editor, setEditor] = useState<LoadedEditor | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  /** While a selection is dragged or a character composed, the field stays. */
  const held = useRef(false);

  async function load(): Promise<void> {
    // A field whose editor cannot be loaded still works, and the next focus tries again.
    const module = await import("./json-editor-view").catch(() => null);
    const control = field.current;
    if (module === null || control === null || held.current) return;
    // At once: a key pressed between the two would be lost.
    flushSync(() => setEditor({ View: module.JsonEditorView, start: readStart(control) }));
  }
  function hold(): void {
    held.current = true;
  }
  function release(): void {
    held.current = false;
    void load();
  }
  function holdPointer(): void {
    hold();
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, release, { once: true });
  }

  if (editor !== null) return <editor.View {...props} start={editor.start} />;
  return (
    <JsonTextarea
      {...props}
      ref={field}
      onPointerEnter={() => void load()}
      onPointerDown={holdPointer}
      onFocus={() => void load()}
      onCompositionStart={hold}
      onCompositionEnd={release}
    />
  );
}
