"use client";

import { type ComponentProps, memo } from "react";
import { cx } from "./class-names";
import { DEFAULT_MIN_LINES, jsonEditorFrame } from "./json-editor-frame";
import type { JsonEditorProps } from "./json-editor-props";
import { JsonTokens, MAX_COLOURED_CHARS } from "./json-text";
import { useHydrated } from "./use-hydrated";

export type JsonTextareaProps = JsonEditorProps & Omit<ComponentProps<"textarea">, keyof JsonEditorProps>;

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

/** JSON in a text field that looks like the editor: the colored text on top of it takes no pointer. */
export function JsonTextarea(props: JsonTextareaProps) {
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
