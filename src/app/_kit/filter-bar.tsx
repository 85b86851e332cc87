"use client";

import { SlidersHorizontal } from "lucide-react";
import { Children, type ReactNode, useId, useState } from "react";
import { useDocumentKeys } from "@/app/_kit/use-document-keys";
import { Button } from "@/app/_ui/button";
import { Checkbox } from "@/app/_ui/checkbox";
import { cx } from "@/app/_ui/class-names";
import { NativeSelect } from "@/app/_ui/field";

export interface FilterBarProps {
  label?: string;
  className?: string;
  /** Offers to clear the filters; absent while none is set. */
  onClear?: (() => void) | undefined;
  children: ReactNode;
}

/** The filters of a list, in a row that wraps. On a phone the first one stays in the row, and the others are in a sheet. */
export function FilterBar({ label, className, onClear, children }: FilterBarProps) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const [first, ...others] = Children.toArray(children);
  const close = (): void => setOpen(false);
  useDocumentKeys((event) => {
    if (open && event.key === "Escape" && !event.defaultPrevented) close();
  });
  return (
    <search aria-label={label} className={cx("flex flex-wrap gap-2", className)}>
      {first}
      <Button size="md" aria-expanded={open} aria-controls={id} className="sm:hidden" onClick={() => setOpen(!open)}>
        <SlidersHorizontal aria-hidden size={13} strokeWidth={1.6} />
        Filters
      </Button>
      {open && <div aria-hidden className="fixed inset-0 z-30 bg-scrim sm:hidden" onClick={close} />}
      <div id={id} className={cx("sm:contents", open ? SHEET : "max-sm:hidden")}>
        {others}
        {onClear !== undefined && (
          <Button size="md" variant="ghost" onClick={onClear}>
            Clear filters
          </Button>
        )}
        <Button size="md" variant="primary" className="sm:hidden" onClick={close}>
          Done
        </Button>
      </div>
    </search>
  );
}

const SHEET =
  "max-sm:fixed max-sm:inset-x-0 max-sm:bottom-0 max-sm:z-30 max-sm:flex max-sm:max-h-[80dvh] max-sm:flex-col max-sm:gap-2.5 max-sm:*:w-full! max-sm:*:max-w-none! max-sm:overflow-y-auto max-sm:rounded-t-xl max-sm:border-line2 max-sm:border-t max-sm:bg-panel max-sm:p-4 max-sm:shadow-pop";

export interface FilterSelectProps<T extends string> {
  label: string;
  /** The option for no filter; `Label: any` where absent. */
  any?: string;
  value: T | null;
  options: readonly T[];
  /** The text of an option; the option itself where absent. */
  readText?: (option: T) => string;
  onChange: (value: T | null) => void;
  className?: string;
}

/** One value of a list's filter, or any. */
export function FilterSelect<T extends string>(props: FilterSelectProps<T>) {
  const { label, any = `${label}: any`, value, options, readText: formatOption = String, onChange, className } = props;
  return (
    <NativeSelect
      aria-label={label}
      value={value ?? ""}
      onChange={({ target }) => onChange(options.find((option) => option === target.value) ?? null)}
      className={className}
      options={options.map((option) => [option, formatOption(option)])}
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
    <label htmlFor={id} className="flex h-8 items-center gap-1.5 text-mute max-sm:h-10">
      <Checkbox id={id} checked={checked} onChange={onChange} />
      {label}
    </label>
  );
}
