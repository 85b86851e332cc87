import type { LucideIcon } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import type { Permission } from "@/lib/contract/access";

export interface MenuItem {
  label: string;
  onSelect: () => void;
  icon?: LucideIcon;
  danger?: boolean;
  disabled?: boolean;
  /** On a phone alone, where its button has no room. */
  onPhone?: boolean;
  /** Without this permission the item is disabled and says which role has it. */
  needs?: Permission | undefined;
}

export interface MenuProps {
  /** A button element; it opens the menu. */
  trigger: ReactElement;
  /** Above the items: what they are about. */
  label?: ReactNode;
  items: readonly MenuItem[];
  align?: "start" | "end";
}
