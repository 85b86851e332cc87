"use client";

import { DropdownMenu } from "radix-ui";
import type { ReactElement, ReactNode } from "react";
import { cx } from "./class-names";

export interface MenuItem {
  label: string;
  onSelect: () => void;
  icon?: ReactNode;
  danger?: boolean;
  disabled?: boolean;
}

export interface MenuProps {
  /** A button element; it opens the menu. */
  trigger: ReactElement;
  items: readonly MenuItem[];
  align?: "start" | "end";
}

export function Menu({ trigger, items, align = "end" }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      {/* Into the page's landmark, where every other content is; the body's end would be outside of all of them. */}
      <DropdownMenu.Portal container={typeof document === "undefined" ? null : document.getElementById("main")}>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 min-w-40 rounded-lg border border-line2 bg-panel p-1 text-text shadow-pop"
        >
          {items.map((item) => (
            <DropdownMenu.Item
              key={item.label}
              disabled={item.disabled}
              onSelect={() => item.onSelect()}
              className={cx(
                "flex cursor-pointer select-none items-center gap-2 rounded-sm px-2 py-1 text-sm outline-none data-highlighted:bg-line",
                "data-disabled:cursor-not-allowed data-disabled:opacity-45",
                item.danger && "text-bad data-highlighted:bg-bad-bg",
              )}
            >
              {item.icon}
              {item.label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
