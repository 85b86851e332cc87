"use client";

import { ChevronDown } from "lucide-react";
import { Popover } from "radix-ui";
import { useState } from "react";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { Input } from "@/app/_ui/field";

/** With more choices than this a search field stands above them. */
const SEARCH_FROM = 9;

export interface MultiSelectProps<T extends string> {
  label: string;
  options: readonly { value: T; label: string; mono?: boolean }[];
  value: readonly T[];
  onChange: (value: T[]) => void;
}

/** Any of several; none chosen means all. */
export function MultiSelect<T extends string>({ label, options, value, onChange }: MultiSelectProps<T>) {
  const [search, setSearch] = useState("");
  const wanted = search.trim().toLowerCase();
  const shown = options.filter((option) => option.label.toLowerCase().includes(wanted));
  const chosen = options.filter((option) => value.includes(option.value));
  const [only] = chosen;
  const summary = value.length === 0 ? null : value.length === 1 && only ? only.label : String(value.length);

  return (
    <Popover.Root onOpenChange={() => setSearch("")}>
      <Popover.Trigger asChild>
        <Button size="md" className={cx("max-w-56 font-normal", summary === null && "text-mute")}>
          {label}
          {summary !== null && <span className="min-w-0 truncate font-medium">{summary}</span>}
          <ChevronDown aria-hidden size={15} strokeWidth={1.6} className="shrink-0" />
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
          className="z-50 flex max-h-[min(24rem,var(--radix-popover-content-available-height))] w-64 flex-col rounded-lg border border-line2 bg-panel shadow-pop"
        >
          {options.length >= SEARCH_FROM && (
            <div className="border-line border-b p-1.5">
              <Input
                aria-label={`Search ${label.toLowerCase()}`}
                placeholder="Search"
                value={search}
                onChange={(event) => setSearch(event.target.value)}
              />
            </div>
          )}
          <fieldset className="min-h-0 overflow-auto p-1">
            <legend className="sr-only">{label}</legend>
            {shown.map((option) => (
              <label
                key={option.value}
                className="flex cursor-pointer items-center gap-2 rounded-sm px-2 py-1 text-sm hover:bg-rail"
              >
                <input
                  type="checkbox"
                  className="accent-accent"
                  checked={value.includes(option.value)}
                  onChange={(event) =>
                    onChange(
                      event.target.checked
                        ? [...value, option.value]
                        : value.filter((chosenValue) => chosenValue !== option.value),
                    )
                  }
                />
                <span className={cx("min-w-0 [overflow-wrap:anywhere]", option.mono && "font-mono text-xs")}>
                  {option.label}
                </span>
              </label>
            ))}
            {shown.length === 0 && <p className="px-2 py-1 text-mute">None</p>}
          </fieldset>
          {value.length > 0 && (
            <div className="border-line border-t p-1.5">
              <Button variant="ghost" onClick={() => onChange([])}>
                Clear
              </Button>
            </div>
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
