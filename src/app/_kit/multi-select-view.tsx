"use client";

import { Popover } from "radix-ui";
import { type KeyboardEvent, useId, useState } from "react";
import { Button } from "@/app/_ui/button";
import { Checkbox } from "@/app/_ui/checkbox";
import { cx } from "@/app/_ui/class-names";
import { Input } from "@/app/_ui/field";
import { MultiSelectButton, type MultiSelectProps } from "./multi-select-button";

/** From this many choices on a search field stands above them. */
const SEARCH_FROM = 10;

/** The view of a pressed `MultiSelect`: open at first. Arrow keys highlight an option, Enter picks it. */
export function MultiSelectView<T extends string>({ label, options, value, onChange }: MultiSelectProps<T>) {
  const [search, setSearch] = useState("");
  const [highlighted, setHighlighted] = useState(0);
  const id = useId();
  const wanted = search.trim().toLowerCase();
  const shown = options.filter((option) => option.label.toLowerCase().includes(wanted));
  const at = Math.min(highlighted, shown.length - 1);

  function toggle(option: T): void {
    onChange(value.includes(option) ? value.filter((each) => each !== option) : [...value, option]);
  }

  function moveTo(next: number, from: EventTarget): void {
    const to = Math.max(0, Math.min(next, shown.length - 1));
    setHighlighted(to);
    const box = document.getElementById(`${id}-${to}`);
    // The search field keeps the focus, and names the highlighted option.
    if (from instanceof HTMLInputElement && from.type === "checkbox") box?.focus();
    box?.closest("label")?.scrollIntoView({ block: "nearest" });
  }

  function onKeyDown(event: KeyboardEvent): void {
    const option = shown[at];
    if (!(event.target instanceof HTMLInputElement) || option === undefined) return;
    if (event.key === "ArrowDown") moveTo(at + 1, event.target);
    else if (event.key === "ArrowUp") moveTo(at - 1, event.target);
    else if (event.key === "Enter") toggle(option.value);
    else return;
    event.preventDefault();
  }

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
          onKeyDown={onKeyDown}
          className="z-50 flex max-h-[min(24rem,var(--radix-popover-content-available-height))] w-64 flex-col overflow-hidden rounded-lg border border-line2 bg-panel shadow-pop"
        >
          {options.length >= SEARCH_FROM && (
            <div className="border-line border-b p-1.5">
              <Input
                aria-label={`Search ${label.toLowerCase()}`}
                aria-controls={`${id}-options`}
                aria-activedescendant={at === -1 ? undefined : `${id}-${at}`}
                placeholder="Search"
                value={search}
                onChange={(event) => {
                  setSearch(event.target.value);
                  setHighlighted(0);
                }}
              />
            </div>
          )}
          {/* Not a fieldset: browsers do not let one shrink below its content, and the list would leave the box. */}
          {/* biome-ignore lint/a11y/useSemanticElements: a fieldset does not shrink */}
          <div role="group" aria-label={label} id={`${id}-options`} className="min-h-0 overflow-y-auto p-1">
            {shown.map((option, index) => (
              <label
                key={option.value}
                data-highlighted={index === at || undefined}
                className="flex cursor-pointer items-center gap-2 rounded-sm px-2 py-1 text-sm hover:bg-rail data-highlighted:bg-accent-bg"
              >
                <Checkbox
                  id={`${id}-${index}`}
                  checked={value.includes(option.value)}
                  onFocus={() => setHighlighted(index)}
                  onChange={() => toggle(option.value)}
                />
                <span className={cx("min-w-0 [overflow-wrap:anywhere]", option.mono && "font-mono text-xs")}>
                  {option.label}
                </span>
              </label>
            ))}
            {shown.length === 0 && <p className="px-2 py-1 text-mute">No results for “{search.trim()}”</p>}
          </div>
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
