import type { ComponentProps } from "react";
import { cx } from "./class-names";

interface CheckboxProps extends Omit<ComponentProps<"input">, "type" | "onChange" | "checked"> {
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** 24 px to hit, on a phone 40 px, and 16 px to see. */
export function Checkbox({ className, onChange, ...native }: CheckboxProps) {
  return (
    <input
      {...native}
      type="checkbox"
      onChange={({ target }) => onChange(target.checked)}
      className={cx(
        "relative block size-6 shrink-0 cursor-pointer appearance-none rounded-sm disabled:cursor-default disabled:opacity-45",
        "before:absolute before:inset-1 before:rounded-xs before:border before:border-edge before:bg-panel checked:before:border-accent checked:before:bg-accent",
        "after:absolute after:top-1.75 after:left-[9px] after:hidden after:h-2 after:w-1.25 after:rotate-45 after:border-panel after:border-r-2 after:border-b-2 checked:after:block",
        "indeterminate:before:border-accent indeterminate:before:bg-accent indeterminate:after:top-[11px] indeterminate:after:left-2 indeterminate:after:block indeterminate:after:h-0.5 indeterminate:after:w-2 indeterminate:after:rotate-0 indeterminate:after:border-0 indeterminate:after:bg-panel",
        "max-sm:-m-2 max-sm:size-10 max-sm:border-8 max-sm:border-transparent",
        className,
      )}
    />
  );
}
