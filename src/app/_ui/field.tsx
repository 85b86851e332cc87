import { ChevronDown } from "lucide-react";
import { type ComponentProps, type Ref, useCallback } from "react";
import type { Permission } from "@/lib/contract/access";
import { useDenial } from "./access";
import { cx } from "./class-names";
import { FITTED, useFittedHeight } from "./use-fitted-height";

const BOX = cx(
  "w-full min-w-0 rounded-md border bg-panel text-sm text-text transition-shadow duration-100",
  "focus:border-accent focus:outline-none focus:ring-3 focus:ring-accent-bg focus-visible:outline-2 focus-visible:outline-transparent",
  "disabled:cursor-not-allowed disabled:border-dashed disabled:bg-transparent disabled:text-faint",
);

const edge = (invalid: boolean | undefined): string => (invalid ? "border-bad" : "border-edge");

interface InputProps extends ComponentProps<"input"> {
  invalid?: boolean;
}

export function Input({ invalid, className, ref, ...native }: InputProps) {
  return (
    <input
      ref={useEarlyInput(ref)}
      dir="auto"
      aria-invalid={invalid || undefined}
      {...native}
      className={cx(BOX, "h-8 px-2.5 max-sm:h-10", edge(invalid), className)}
    />
  );
}

interface TextareaProps extends ComponentProps<"textarea"> {
  invalid?: boolean;
  /** The field is as high as its text. */
  fitted?: boolean;
}

export function Textarea({ invalid, fitted = false, className, ref, ...native }: TextareaProps) {
  const area = useFittedHeight(fitted ? String(native.value ?? "") : null);
  const setRefs = useCallback(
    (control: HTMLTextAreaElement | null) => {
      area.current = control;
      setRef(ref, control);
    },
    [area, ref],
  );
  return (
    <textarea
      ref={useEarlyInput(setRefs)}
      dir="auto"
      aria-invalid={invalid || undefined}
      {...native}
      className={cx(BOX, "block min-h-16 px-2.5 py-1.5", fitted && FITTED, edge(invalid), className)}
    />
  );
}

interface NativeSelectProps extends ComponentProps<"select"> {
  invalid?: boolean;
  /** Values with their texts; below `children`, which are options too. */
  options?: readonly (readonly [value: string | number, text: string])[];
  /** The permission that the choice needs; without it the choice is disabled and names the role that has it. */
  needs?: Permission;
}

/** `className` applies to the box around the control, which sets the width. */
export function NativeSelect({ invalid, className, options = [], children, needs, ...native }: NativeSelectProps) {
  const denial = useDenial(needs);
  return (
    <span className={cx("relative inline-flex w-full min-w-0", className)}>
      <select
        aria-invalid={invalid || undefined}
        {...native}
        {...(denial !== null && { disabled: true, title: denial, "aria-description": denial })}
        className={cx(BOX, "h-8 appearance-none truncate pr-7 pl-2.5 max-sm:h-10", edge(invalid))}
      >
        {children}
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <ChevronDown size={15} className="pointer-events-none absolute inset-y-0 right-2 my-auto text-mute" />
    </span>
  );
}

const NOT_TYPED = '[type="radio"], [type="checkbox"], [type="file"], [tabindex="-1"]';

/** The first field that takes the focus of a form, before its choices and buttons. */
export function findFirstField(root: ParentNode | null): TextControl | HTMLSelectElement | undefined {
  const fields = root?.querySelectorAll<TextControl | HTMLSelectElement>("input, textarea, select") ?? [];
  return [...fields].find((field) => !field.disabled && !field.matches(NOT_TYPED));
}

type TextControl = HTMLInputElement | HTMLTextAreaElement;

/** Returns the text typed into server-rendered markup before React took it over; null when there was none. */
function readEarlyInput({ value, defaultValue, type }: TextControl): string | null {
  const isText = type !== "checkbox" && type !== "radio";
  return isText && value !== "" && value !== defaultValue ? value : null;
}

function setRef<T>(ref: Ref<T> | undefined, element: T | null): void {
  if (typeof ref === "function") ref(element);
  else if (ref) ref.current = element;
}

/** React ignores an event with the value that it saw last, so the field is first reset to the rendered value. */
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
function useEarlyInput<T extends TextControl>(ref: Ref<T> | undefined): (control: T | null) => void {
  return useCallback(
    (control: T | null) => {
      const typed = control && readEarlyInput(control);
      // Handlers may depend on effects, which run after refs are set.
      if (control && typed !== null) queueMicrotask(() => enterText(control, typed));
      setRef(ref, control);
    },
    [ref],
  );
}
