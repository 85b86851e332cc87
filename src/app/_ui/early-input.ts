import { type Ref, useCallback } from "react";

type TextControl = HTMLInputElement | HTMLTextAreaElement;

/** What was typed into server-rendered markup before React took it over; null when nothing was. */
function readEarlyInput({ value, defaultValue, type }: TextControl): string | null {
  const isText = type !== "checkbox" && type !== "radio";
  return isText && value !== "" && value !== defaultValue ? value : null;
}

/** React ignores an event with the value that it saw last, hence the step back to the rendered value first. */
function enterText(control: TextControl, text: string): void {
  control.value = control.defaultValue;
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), "value")?.set?.call(control, text);
  control.dispatchEvent(new Event("input", { bubbles: true }));
}

/**
 * The ref of a text control that loses nothing typed before hydration. React 19 leaves such text in the control
 * without an event, so the page would show a value that no state holds, until the next render removes it. A textarea
 * rendered with text is beyond help: React resets it first.
 */
export function useEarlyInput<T extends TextControl>(ref: Ref<T> | undefined): (control: T | null) => void {
  return useCallback(
    (control: T | null) => {
      const typed = control && readEarlyInput(control);
      // Handlers may depend on effects, which run after refs are set.
      if (control && typed !== null) queueMicrotask(() => enterText(control, typed));
      if (typeof ref === "function") ref(control);
      else if (ref) ref.current = control;
    },
    [ref],
  );
}
