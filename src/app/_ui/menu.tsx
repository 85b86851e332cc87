"use client";

import { cloneElement, type KeyboardEvent, lazy, type ReactElement, Suspense, useState } from "react";
import type { MenuProps } from "./menu-props";

const load = () => import("./menu-view");
const MenuView = lazy(() => load().then((module) => ({ default: module.MenuView })));

interface TriggerProps {
  "aria-haspopup"?: "menu";
  "aria-expanded"?: boolean;
  onClick?: () => void;
  onKeyDown?: (event: KeyboardEvent) => void;
  onPointerEnter?: () => void;
  onFocus?: () => void;
}

/**
 * A menu behind a button. Positioning is half of what it weighs and a list has one menu a row, so a row holds only the
 * button until it is pressed; pointing at it fetches the rest.
 */
export function Menu({ trigger, label, items, align }: MenuProps) {
  const [wanted, setWanted] = useState(false);
  const open = () => setWanted(true);
  const warm = () => void load();
  const button = cloneElement<TriggerProps>(trigger as ReactElement<TriggerProps>, {
    "aria-haspopup": "menu",
    "aria-expanded": false,
    onClick: open,
    onKeyDown: (event) => {
      if (event.key !== "ArrowDown") return;
      event.preventDefault();
      open();
    },
    onPointerEnter: warm,
    onFocus: warm,
  });
  if (!wanted) return button;
  return (
    <Suspense fallback={button}>
      <MenuView trigger={trigger} label={label} items={items} align={align} />
    </Suspense>
  );
}
