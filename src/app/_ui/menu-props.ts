import type { LucideIcon } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import type { Permission } from "@/lib/contract/access";

export interface MenuItem {
  label: string;
  onSelect: () => void;
  icon?: LucideIcon;
  danger?: boolean;
  disabled?: boolean;
  /** Shown only on a phone, where its button has no space. */
  onPhone?: boolean;
  /** The permission that the item needs; without it the item is disabled and names the role that has it. */
  needs?: Permission | undefined;
}

export interface MenuProps {
  /** A button element; it opens the menu. */
  trigger: ReactElement;
  /** The subject of the items, shown above them. */
  label?: ReactNode;
  items: readonly MenuItem[];
  align?: "start" | "end";
}
