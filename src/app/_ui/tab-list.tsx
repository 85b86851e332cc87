import { createContext, type KeyboardEvent, type ReactNode, useContext, useId, useRef } from "react";
import { cx } from "./class-names";

const TabsId = createContext<string | null>(null);

const tabId = (base: string, value: string) => `${base}tab-${value}`;
const panelId = (base: string, value: string) => `${base}panel-${value}`;

export interface TabItem<T extends string> {
  value: T;
  label: ReactNode;
  count?: number | string;
}

interface TabListProps<T extends string> {
  /** Accessible name of the row of tabs. */
  label: string;
  tabs: readonly TabItem<T>[];
  value: T;
  onChange: (value: T) => unknown;
  /** Small tabs for a panel inside a page. */
  size?: "sm" | "md";
  /** The panels (`TabPanel`), which are tied to their tabs here; anything else is put beneath the row as it is. */
  children?: ReactNode;
  className?: string;
}

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

export function TabList<T extends string>({
  label,
  tabs,
  value,
  onChange,
  size = "md",
  children,
  className,
}: TabListProps<T>) {
  const base = useId();
  const row = useRef<HTMLDivElement>(null);

  function onKeyDown(event: KeyboardEvent) {
    const at = tabs.findIndex((tab) => tab.value === value);
    const step = Object.hasOwn(STEPS, event.key) ? STEPS[event.key] : undefined;
    let next: TabItem<T> | undefined;
    if (step !== undefined) next = tabs[(at + step + tabs.length) % tabs.length];
    else if (event.key === "Home") next = tabs[0];
    else if (event.key === "End") next = tabs.at(-1);
    if (next === undefined) return;
    event.preventDefault();
    onChange(next.value);
    row.current?.querySelector<HTMLElement>(`[data-tab="${CSS.escape(next.value)}"]`)?.focus();
  }

  return (
    <TabsId value={base}>
      <div
        ref={row}
        role="tablist"
        aria-label={label}
        onKeyDown={onKeyDown}
        className={cx(
          // In WebKit the scroll bar covers the tabs and receives their clicks.
          "flex overflow-x-auto border-line border-b [&::-webkit-scrollbar]:hidden",
          size === "sm" ? "gap-3.5 px-3.5" : "gap-4.5 px-4",
          className,
        )}
      >
        {tabs.map((tab) => (
          <Tab key={tab.value} tab={tab} base={base} selected={tab.value === value} size={size} onChange={onChange} />
        ))}
      </div>
      {children}
    </TabsId>
  );
}

/** One function for all, so that it runs when a tab becomes the chosen one and not with every rendering. */
function reveal(tab: HTMLButtonElement | null): void {
  tab?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
}

interface TabProps<T extends string> {
  tab: TabItem<T>;
  base: string;
  selected: boolean;
  size: "sm" | "md";
  onChange: (value: T) => unknown;
}

function Tab<T extends string>({ tab, base, selected, size, onChange }: TabProps<T>) {
  return (
    <button
      type="button"
      role="tab"
      id={tabId(base, tab.value)}
      ref={selected ? reveal : null}
      data-tab={tab.value}
      aria-selected={selected}
      tabIndex={selected ? 0 : -1}
      onClick={() => onChange(tab.value)}
      className={cx(
        "-outline-offset-2 flex shrink-0 items-baseline gap-1 whitespace-nowrap border-b-2 pt-2 text-mute hover:text-text",
        "aria-selected:border-text aria-selected:text-text not-aria-selected:border-transparent",
        size === "sm" ? "pb-1.5 text-xs" : "pb-2 text-sm aria-selected:font-medium",
        "max-sm:min-w-10 max-sm:justify-center max-sm:py-2.5",
      )}
    >
      {tab.label}
      {tab.count !== undefined && <span className="font-mono text-2xs text-faint">{tab.count}</span>}
    </button>
  );
}

interface TabPanelProps {
  value: string;
  /** The open tab's value, or whether this panel is it. A closed panel renders nothing. */
  active: string | boolean;
  children: ReactNode;
  /** Accessible name for a panel that stands outside its `TabList`. */
  label?: string;
  className?: string;
}

export function TabPanel({ value, active, children, label, className }: TabPanelProps) {
  const base = useContext(TabsId);
  if (active !== true && active !== value) return null;
  const named = base === null ? { "aria-label": label ?? value } : { "aria-labelledby": tabId(base, value) };
  return (
    <div role="tabpanel" id={base === null ? undefined : panelId(base, value)} {...named} className={className}>
      {children}
    </div>
  );
}
