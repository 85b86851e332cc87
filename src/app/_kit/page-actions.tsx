import { useRouter } from "next/navigation";
import { Button, ButtonLink } from "@/app/_ui/button";
import { Menu, MenuButton } from "@/app/_ui/menu";
import type { MenuItem } from "@/app/_ui/menu-props";

interface Named extends Omit<MenuItem, "onSelect" | "onPhone"> {
  /** The main action, which is a button on a phone too. */
  primary?: boolean;
  /** The panel that the action opens is open. */
  expanded?: boolean;
}

/** A press, or a link to a page. */
type PageAction = Named & ({ onSelect: () => void; href?: never } | { href: string; onSelect?: never });

interface PageActionsProps {
  actions: readonly PageAction[];
  /** Accessible name of the menu, where a page has several. */
  label?: string;
}

/** The actions on one thing: buttons in a row; on a phone the main one, and the others in one menu. */
export function PageActions({ actions, label = "More actions" }: PageActionsProps) {
  const router = useRouter();
  const items = actions
    .filter(({ primary }) => !primary)
    .map(({ primary: _primary, expanded: _expanded, href, onSelect, ...item }): MenuItem => {
      return { ...item, onSelect: onSelect ?? (() => router.push(href)) };
    });
  return (
    <>
      {actions.map((action) => (
        <ActionButton key={action.label} action={action} />
      ))}
      <span className="sm:hidden">
        <Menu trigger={<MenuButton label={label} className="border border-line2 bg-panel" />} items={items} />
      </span>
    </>
  );
}

function ActionButton({ action }: { action: PageAction }) {
  const { label, primary = false, danger = false, expanded, icon, disabled, needs, href, onSelect } = action;
  const look = {
    variant: primary ? "primary" : danger ? "ghost" : "secondary",
    className: primary ? undefined : "max-sm:hidden",
    icon,
    needs,
  } as const;
  if (href !== undefined) {
    return (
      <ButtonLink {...look} href={href}>
        {label}
      </ButtonLink>
    );
  }
  return (
    <Button {...look} disabled={disabled} aria-expanded={expanded} onClick={onSelect}>
      {label}
    </Button>
  );
}
