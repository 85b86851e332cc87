import { Popover } from "radix-ui";
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { Button } from "@/app/_ui/button";
import { Checkbox } from "@/app/_ui/checkbox";
import { cx } from "@/app/_ui/class-names";
import { Input } from "@/app/_ui/field";
import { formatCount } from "@/lib/format";
import { MultiSelectButton, type MultiSelectProps, type Option, type OptionSearch } from "./multi-select-button";
import { useKeptEnter } from "./use-kept-enter";

/** A list with at least this many choices has a search field. */
const SEARCH_FROM = 10;

/** Choices rendered at once, and those that are chosen: a team may have thousands of tools. */
const MAX_SHOWN = 200;

/** The box of choices below a button. */
export function OptionBox({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Popover.Portal>
      <Popover.Content
        align="start"
        sideOffset={4}
        collisionPadding={8}
        aria-label={label}
        className="z-50 flex max-h-[min(24rem,var(--radix-popover-content-available-height))] w-64 flex-col overflow-hidden rounded-lg border border-line2 bg-panel shadow-pop"
      >
        {children}
      </Popover.Content>
    </Popover.Portal>
  );
}

interface OptionListProps {
  label: string;
  search?: OptionSearch | undefined;
  options: readonly Option[];
  /** The chosen options. */
  value: readonly string[];
  /** At most one option can be picked, so none shows a check mark. */
  single: boolean;
  onPick: (option: string) => void;
  /** Clears all choices. */
  onClear?: () => void;
}

const ROW =
  "flex w-full cursor-pointer items-center gap-2 rounded-sm px-2 py-1 text-left text-sm hover:bg-rail data-highlighted:bg-accent-bg";

/** Options to pick from. Arrow keys highlight an option, Enter picks it; the search keeps the focus meanwhile. */
export function OptionList({ label, search, options, value, single, onPick, onClear }: OptionListProps) {
  const [typed, setTyped] = useState("");
  const [highlighted, setHighlighted] = useState(() =>
    Math.max(0, single ? options.findIndex((option) => value.includes(option.value)) : 0),
  );
  const root = useRef<HTMLDivElement>(null);
  const id = useId();
  const wanted = typed.trim().toLowerCase();
  const matching = search ? options : options.filter((option) => option.label.toLowerCase().includes(wanted));
  const shown = matching.filter((option, index) => index < MAX_SHOWN || value.includes(option.value));
  const at = Math.min(highlighted, shown.length - 1);
  const isBusy = search?.isBusy ?? false;
  const enter = useKeptEnter({ first: shown[0]?.value, isBusy, pick: onPick });
  // Outside system: the keyboard focus, which another list in this place may have had.
  useEffect(() => root.current?.querySelector<HTMLElement>("input, button")?.focus({ preventScroll: true }), []);

  function moveTo(next: number, inSearch: boolean): void {
    const to = Math.max(0, Math.min(next, shown.length - 1));
    setHighlighted(to);
    const row = document.getElementById(`${id}-${to}`);
    if (!inSearch) row?.focus();
    (row?.closest("label") ?? row)?.scrollIntoView({ block: "nearest" });
  }

  function type(text: string): void {
    setTyped(text);
    setHighlighted(0);
    enter.cancel();
    search?.onType(text);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const option = shown[at];
    const { target } = event;
    const isField = target instanceof HTMLInputElement;
    const inSearch = isField && target.type !== "checkbox";
    if (event.key === "Enter" && inSearch && isBusy) {
      event.preventDefault();
      enter.keep();
      return;
    }
    if (option === undefined) return;
    if (event.key === "ArrowDown") moveTo(at + 1, inSearch);
    else if (event.key === "ArrowUp") moveTo(at - 1, inSearch);
    else if (event.key === "Enter" && isField) onPick(option.value);
    else return;
    event.preventDefault();
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the options and of the search
    <div ref={root} onKeyDown={onKeyDown} className="flex min-h-0 flex-col">
      {(search !== undefined || options.length >= SEARCH_FROM) && (
        <div className="border-line border-b p-1.5">
          <Input
            aria-label={`Search ${label.toLowerCase()}`}
            aria-controls={`${id}-options`}
            aria-activedescendant={at === -1 ? undefined : `${id}-${at}`}
            placeholder="Search"
            value={typed}
            onChange={(event) => type(event.target.value)}
          />
        </div>
      )}
      {/* A fieldset cannot shrink below its content in browsers, so the list would overflow the box. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset does not shrink */}
      <div role="group" aria-label={label} id={`${id}-options`} className="min-h-0 overflow-y-auto p-1">
        {shown.map((option, index) => {
          const row = { "data-highlighted": index === at || undefined, className: ROW };
          const part = {
            id: `${id}-${index}`,
            onFocus: () => setHighlighted(index),
            "aria-description": option.count,
          };
          const isChosen = value.includes(option.value);
          return single ? (
            <button
              {...row}
              {...part}
              key={option.value}
              type="button"
              aria-current={isChosen || undefined}
              onClick={() => onPick(option.value)}
            >
              <OptionText option={option} />
            </button>
          ) : (
            <label {...row} key={option.value}>
              <Checkbox {...part} checked={isChosen} onChange={() => onPick(option.value)} />
              <OptionText option={option} />
            </label>
          );
        })}
        {shown.length < matching.length && (
          <p className="px-2 py-1 text-mute text-xs">
            {formatCount(matching.length - shown.length)} more: search to find them.
          </p>
        )}
        {search?.hasMore && <p className="px-2 py-1 text-mute text-xs">There are more: search to find them.</p>}
        {shown.length === 0 && (
          <p className="px-2 py-1 text-mute">
            {isBusy && "Searching…"}
            {!isBusy && (wanted === "" ? "Nothing to choose from" : `No results for “${typed.trim()}”`)}
          </p>
        )}
      </div>
      {onClear !== undefined && (
        <div className="border-line border-t p-1.5">
          <Button variant="ghost" onClick={onClear}>
            Clear
          </Button>
        </div>
      )}
    </div>
  );
}

function OptionText({ option: { label, mono, count } }: { option: Option }) {
  return (
    <>
      <span className={cx("min-w-0 flex-1 [overflow-wrap:anywhere]", mono && "font-mono text-xs")}>{label}</span>
      {count !== undefined && (
        <span aria-hidden className="font-mono text-mute text-xs tabular-nums">
          {count}
        </span>
      )}
    </>
  );
}

/** The value after an option was picked: one, or one more or less. */
export function pickOption<T extends string>(value: readonly T[], option: T, single: boolean): T[] {
  if (single) return [option];
  return value.includes(option) ? value.filter((each) => each !== option) : [...value, option];
}

/** A box that is open at first. @param onChange hears of each change, and of the beginning */
export function useOpenState(onChange?: (open: boolean) => void): [open: boolean, setOpen: (open: boolean) => void] {
  const [open, setOpen] = useState(true);
  const tell = useEffectEvent((now: boolean) => onChange?.(now));
  // Outside system: what is read only while a box is open.
  useEffect(() => {
    tell(open);
    return () => tell(false);
  }, [open]);
  return [open, setOpen];
}

/** The view of a pressed `MultiSelect`: open at first. */
export function MultiSelectView({
  onChange,
  single = false,
  search,
  onOpenChange,
  ...button
}: MultiSelectProps<string>) {
  const { label, options, value } = button;
  const [open, setOpen] = useOpenState(onOpenChange);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <MultiSelectButton {...button} />
      </Popover.Trigger>
      <OptionBox label={label}>
        <OptionList
          label={label}
          search={search}
          options={options}
          value={value}
          single={single}
          onPick={(option) => {
            onChange(pickOption(value, option, single));
            if (single) setOpen(false);
          }}
          {...(!single && value.length > 0 && { onClear: () => onChange([]) })}
        />
      </OptionBox>
    </Popover.Root>
  );
}
