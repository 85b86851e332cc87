import type { ReactElement, ReactNode } from "react";

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
  /** Above the items: what they are about. */
  label?: ReactNode;
  items: readonly MenuItem[];
  align?: "start" | "end";
}
