import { DropdownMenu } from "radix-ui";
import { useDenial, useReportDenial } from "./access";
import { cx } from "./class-names";
import type { MenuItem, MenuProps } from "./menu-props";

/** The menu itself, open from the start: it is loaded by the press that opens it. */
export function MenuView({ trigger, label, items, align = "end" }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false} defaultOpen>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      {/* Rendered in the page's landmark like all content; the end of the body would be outside of every landmark. */}
      <DropdownMenu.Portal container={document.getElementById("main")}>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 min-w-40 rounded-lg border border-line2 bg-panel p-1 text-text shadow-pop"
        >
          {label !== undefined && (
            <DropdownMenu.Label className="mb-1 max-w-80 border-line border-b px-2 pt-0.5 pb-1.5 text-mute text-xs">
              {label}
            </DropdownMenu.Label>
          )}
          {items.map((item) => (
            <Item key={item.label} item={item} />
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

/** A denied item can still be focused, to show its reason. */
function Item({ item }: { item: MenuItem }) {
  const denial = useDenial(item.needs);
  const reportDenial = useReportDenial();
  function select(event: Event): void {
    if (denial === null) {
      item.onSelect();
      return;
    }
    event.preventDefault();
    reportDenial(denial);
  }
  return (
    <DropdownMenu.Item
      disabled={item.disabled}
      {...(denial !== null && { "aria-disabled": true, "aria-description": denial, title: denial })}
      onSelect={select}
      className={cx(
        "flex cursor-pointer select-none items-center gap-2 rounded-sm px-2 py-1 text-sm outline-none max-sm:py-2.5 data-highlighted:bg-line",
        "aria-disabled:cursor-not-allowed aria-disabled:opacity-45",
        item.danger && "text-bad data-highlighted:bg-bad-bg",
        item.onPhone && "sm:hidden",
      )}
    >
      {item.icon && <item.icon size={15} />}
      {item.label}
    </DropdownMenu.Item>
  );
}
