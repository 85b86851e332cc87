"use client";

import { useRouter } from "next/navigation";
import { Button, ButtonLink } from "@/app/_ui/button";
import { Menu, MenuButton } from "@/app/_ui/menu";
import type { MenuItem } from "@/app/_ui/menu-props";

interface Named extends Omit<MenuItem, "onSelect" | "onPhone" | "danger"> {
  /** The page's main action, which is a button on a phone too. */
  primary?: boolean;
}

/** A press, or the page that it leads to. */
export type PageAction = Named & ({ onSelect: () => void; href?: never } | { href: string; onSelect?: never });

/** The actions of a page's head: buttons in a row; on a phone the main one, and the others in one menu. */
export function PageActions({ actions }: { actions: readonly PageAction[] }) {
  const router = useRouter();
  const isInMenu = ({ primary }: PageAction): boolean => !primary;
  const items = actions.filter(isInMenu).map(({ primary: _primary, href, onSelect, ...item }): MenuItem => {
    return { ...item, onSelect: onSelect ?? (() => router.push(href)) };
  });
  return (
    <>
      {actions.map((action) => (
        <ActionButton key={action.label} action={action} />
      ))}
      <span className="sm:hidden">
        <Menu trigger={<MenuButton label="More actions" className="border border-line2 bg-panel" />} items={items} />
      </span>
    </>
  );
}

function ActionButton({
  action: { label, primary = false, icon, disabled, needs, href, onSelect },
}: ActionButtonProps) {
  const look = {
    variant: primary ? "primary" : "secondary",
    className: primary ? undefined : "max-sm:hidden",
    ...(icon && { icon }),
    ...(needs && { needs }),
  } as const;
  if (href !== undefined) {
    return (
      <ButtonLink {...look} href={href}>
        {label}
      </ButtonLink>
    );
  }
  return (
    <Button {...look} disabled={disabled} onClick={onSelect}>
      {label}
    </Button>
  );
}

interface ActionButtonProps {
  action: PageAction;
}
