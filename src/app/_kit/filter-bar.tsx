"use client";

import { type ReactNode, useId } from "react";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { NativeSelect } from "@/app/_ui/field";

export interface FilterBarProps {
  label?: string;
  className?: string;
  /** Offers to clear the filters; absent while none is set. */
  onClear?: (() => void) | undefined;
  children: ReactNode;
}

/** The filters of a list, in a row that wraps. */
export function FilterBar({ label, className, onClear, children }: FilterBarProps) {
  return (
    <search aria-label={label} className={cx("flex flex-wrap gap-2", className)}>
      {children}
      {onClear !== undefined && (
        <Button size="md" variant="ghost" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </search>
  );
}

export interface FilterSelectProps<T extends string> {
  label: string;
  /** The option for no filter; `Label: any` where absent. */
  any?: string;
  value: T | null;
  options: readonly T[];
  /** The text of an option; the option itself where absent. */
  textOf?: (option: T) => string;
  onChange: (value: T | null) => void;
  className?: string;
}

/** One value of a list's filter, or any. */
export function FilterSelect<T extends string>(props: FilterSelectProps<T>) {
  const { label, any = `${label}: any`, value, options, textOf = String, onChange, className } = props;
  return (
    <NativeSelect
      aria-label={label}
      value={value ?? ""}
      onChange={({ target }) => onChange(options.find((option) => option === target.value) ?? null)}
      className={className}
      options={options.map((option) => [option, textOf(option)])}
    >
      <option value="">{any}</option>
    </NativeSelect>
  );
}

export interface FilterToggleProps {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

export function FilterToggle({ label, checked, onChange }: FilterToggleProps) {
  const id = useId();
  return (
    <label htmlFor={id} className="flex h-8 items-center gap-1.5 text-mute">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        onChange={({ target }) => onChange(target.checked)}
        className="accent-accent"
      />
      {label}
    </label>
  );
}
