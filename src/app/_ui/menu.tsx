import { Ellipsis } from "lucide-react";
import { cloneElement, type KeyboardEvent, type ReactElement, type ReactNode, Suspense, useState } from "react";
import { IconButton, type IconButtonProps } from "./button";
import type { MenuProps } from "./menu-props";
import { lazyPart } from "./on-demand";
import { whenServerAnswers } from "./server-reach";

const load = () => import("./menu-view");
const MenuView = lazyPart(load, "MenuView");

interface TriggerProps {
  "aria-haspopup"?: "menu" | "dialog";
  "aria-expanded"?: boolean;
  onClick?: () => void;
  onKeyDown?: (event: KeyboardEvent) => void;
  onPointerEnter?: () => void;
  onFocus?: () => void;
}

/** The button of the actions on one thing. */
export function MenuButton(props: Omit<IconButtonProps, "children">) {
  return <IconButton icon={Ellipsis} {...props} />;
}

export function Menu(props: MenuProps) {
  return (
    <MenuOnDemand trigger={props.trigger} load={load}>
      <MenuView {...props} />
    </MenuOnDemand>
  );
}

interface MenuOnDemandProps {
  trigger: ReactElement;
  /** Fetches the scripts of the menu. */
  load: () => Promise<unknown>;
  opens?: "menu" | "dialog";
  /** The menu with its trigger, open from the start. */
  children: ReactNode;
}

/**
 * The button of a menu that loads on demand: positioning is half of a menu's size and a list has one menu per row, so a
 * row holds only the button until it is pressed. Hovering fetches the rest.
 */
export function MenuOnDemand({ trigger, load, opens = "menu", children }: MenuOnDemandProps) {
  const [wanted, setWanted] = useState(false);
  const open = () => setWanted(true);
  // Browsers keep a failed import.
  const warm = () => void whenServerAnswers().then(load);
  const button = cloneElement<TriggerProps>(trigger as ReactElement<TriggerProps>, {
    "aria-haspopup": opens,
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
  return <Suspense fallback={button}>{children}</Suspense>;
}
