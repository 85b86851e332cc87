"use client";

import { Popover } from "radix-ui";
import { useState } from "react";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { Input } from "@/app/_ui/field";
import { MultiSelectButton, type MultiSelectProps } from "./multi-select-button";

/** With more choices than this a search field stands above them. */
const SEARCH_FROM = 9;

/** What a pressed `MultiSelect` becomes: open at first. */
export function MultiSelectView<T extends string>({ label, options, value, onChange }: MultiSelectProps<T>) {
  const [search, setSearch] = useState("");
  const wanted = search.trim().toLowerCase();
  const shown = options.filter((option) => option.label.toLowerCase().includes(wanted));

  return (
    <Popover.Root defaultOpen onOpenChange={() => setSearch("")}>
      <Popover.Trigger asChild>
        <MultiSelectButton label={label} options={options} value={value} />
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
