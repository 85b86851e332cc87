import { type ReactNode, useId } from "react";
import { cx } from "./class-names";

interface SegmentedOption<T> {
  value: T;
  label: ReactNode;
  disabled?: boolean;
}

interface SegmentedProps<T extends string> {
  /** Accessible name of the choice. */
  label: string;
  value: T;
  /** Labels by value, in this order; or options of which some are disabled. */
  options: Readonly<Record<T, ReactNode>> | readonly SegmentedOption<T>[];
  onChange: (value: T) => unknown;
  className?: string;
}

/** One of a few, all in sight. Native radio buttons, so the arrow keys and forced colours work by themselves. */
export function Segmented<T extends string>({ label, value, options, onChange, className }: SegmentedProps<T>) {
  const name = useId();
  const listed: readonly SegmentedOption<T>[] =
    Symbol.iterator in options
      ? options
      : Object.entries<ReactNode>(options).map(([each, text]) => ({ value: each as T, label: text }));
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className={cx("inline-flex max-w-full shrink-0 flex-wrap rounded-md border border-line2 bg-panel", className)}
    >
      {listed.map((option) => (
        <label
          key={option.value}
          className={cx(
            "relative px-2.5 py-0.5 text-xs text-mute max-sm:py-2.5 first:rounded-l-[6px] last:rounded-r-[6px]",
            "has-checked:bg-text has-checked:text-bg has-disabled:opacity-45 not-has-checked:hover:text-text",
            "has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-accent",
            option.disabled ? "cursor-not-allowed" : "cursor-pointer",
          )}
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            disabled={option.disabled}
            onChange={() => onChange(option.value)}
            className="absolute inset-0 cursor-[inherit] max-sm:-inset-y-px appearance-none rounded-[inherit] opacity-0"
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}
