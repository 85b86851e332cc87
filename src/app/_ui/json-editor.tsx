import { type ComponentProps, type ComponentType, memo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { cx } from "./class-names";
import { DEFAULT_MIN_LINES, jsonEditorFrame } from "./json-editor-frame";
import type { EditorStart, JsonEditorProps, JsonEditorViewProps } from "./json-editor-props";
import { JsonTokens, MAX_COLOURED_CHARS } from "./json-text";
import { useHydrated } from "./use-hydrated";

/** Wraps and indents as CodeMirror does, beside gutters as wide as its own, so that nothing moves when it comes. */
const TEXT = cx(
  "col-start-1 row-start-1 py-1.5 pr-0.5 pl-[calc(var(--numbers)+1.4em+15.23px)] font-mono text-xs leading-[1.6]",
  "[overflow-wrap:anywhere] [tab-size:4] [white-space:break-spaces] [word-break:break-word]",
);

/** The gutter of line numbers by their digits. Classes, since the page's policy refuses styles in its HTML. */
const NUMBERS = [
  "[--numbers:20px]",
  "[--numbers:calc(2ch+8px)]",
  "[--numbers:calc(3ch+8px)]",
  "[--numbers:calc(4ch+8px)]",
];

const LINE = cx(
  "min-h-[1.6em] [counter-increment:line] before:absolute before:left-0 before:w-(--numbers) before:pr-[3px]",
  "before:text-right before:text-faint before:content-[counter(line)]",
);

const Lines = memo(function Lines({ text }: { text: string }) {
  if (text.length > MAX_COLOURED_CHARS) return text;
  return text.split("\n").map((line, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line is its position
    <div key={at} className={LINE}>
      <JsonTokens text={line} />
    </div>
  ));
});

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
    // Renders synchronously: a key pressed in between would be lost.
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

type JsonTextareaProps = JsonEditorProps & Omit<ComponentProps<"textarea">, keyof JsonEditorProps>;

/** JSON in a text field that looks like the editor: the colored text on top of it takes no pointer. */
function JsonTextarea(props: JsonTextareaProps) {
  const { value, onChange, label, invalid = false, minLines = DEFAULT_MIN_LINES, describedBy, ...native } = props;
  // React resets a textarea that was typed in before hydration.
  const hydrated = useHydrated();
  const digits = Math.min(String(value.split("\n").length).length, NUMBERS.length);
  return (
    <div className={jsonEditorFrame(invalid)}>
      <div className={cx("max-h-[60dvh] overflow-auto bg-panel", NUMBERS[digits - 1])}>
        <div className="relative grid">
          <textarea
            {...native}
            aria-label={label}
            aria-invalid={invalid || undefined}
            aria-describedby={describedBy}
            dir="ltr"
            spellCheck={false}
            autoCapitalize="off"
            autoComplete="off"
            readOnly={!hydrated}
            rows={minLines}
            value={value}
            onChange={({ target }) => onChange(target.value)}
            className={cx(
              TEXT,
              "resize-none overflow-hidden text-text outline-none [-webkit-text-fill-color:transparent]",
            )}
          />
          <div aria-hidden className={cx(TEXT, "pointer-events-none min-w-0 [counter-reset:line]")}>
            <Lines text={value} />
          </div>
        </div>
      </div>
    </div>
  );
}
