import { X } from "lucide-react";
import { Dialog as Primitive } from "radix-ui";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { IconButton } from "./button";
import { cx } from "./class-names";
import { findFirstField } from "./field";

export interface DialogProps {
  /** The dialog is open while it is rendered. */
  onClose: () => void;
  title: string;
  description?: ReactNode;
  children: ReactNode;
  /** The position: in the middle, or along an edge at full height. */
  side?: "center" | "left" | "right";
  size?: "md" | "lg" | undefined;
  /** The buttons beside Close. */
  actions?: ReactNode;
  onKeyDown?: (event: KeyboardEvent) => void;
  /** Moves the focus after closing; without it, it goes back to where it was. */
  onCloseFocus?: () => void;
}

const PLACE = {
  center: "top-[12dvh] left-1/2 max-h-[80dvh] w-[calc(100vw-2rem)] -translate-x-1/2 rounded-xl border",
  left: "inset-y-0 left-0 w-[min(17rem,85vw)] border-r",
  right: "inset-y-0 right-0 w-[min(44rem,100vw)] border-l",
} as const;

/** Gives the focus back to what had it when the dialog opened; for dialogs with a frame of their own. */
export function useFocusReturn(): (event: Event) => void {
  const [openers] = useState(findOpeners);
  return (event) => {
    event.preventDefault();
    // What was done in the dialog may have opened another one, or moved the focus.
    if (document.activeElement === null || document.activeElement === document.body) focusAgain(openers);
  };
}

const openersOf = new WeakMap<Element, readonly Element[]>();

/**
 * What has the focus; for an item of a menu, which closes, the button of the menu. Then what opened the dialog around
 * it, in whose place this one may come.
 */
function findOpeners(): readonly Element[] {
  if (typeof document === "undefined" || document.activeElement === null) return [];
  const { activeElement } = document;
  const menu = activeElement.closest('[role="menu"]');
  const button = document.getElementById(menu?.getAttribute("aria-labelledby") ?? "");
  const dialog = activeElement.closest('[role="dialog"]');
  return [button ?? activeElement, ...((dialog && openersOf.get(dialog)) ?? [])];
}

/**
 * Focuses the page where the opening elements are gone, as after a row is deleted: the keyboard continues from there.
 */
function focusAgain(openers: readonly Element[]): void {
  const opener = openers.find((each) => each.isConnected && each !== document.body);
  if (opener instanceof HTMLElement) opener.focus();
  if (opener === undefined || document.activeElement !== opener) document.getElementById("main")?.focus();
}

export function Dialog({
  onClose,
  title,
  description,
  children,
  side = "center",
  size = "md",
  actions,
  onKeyDown,
  onCloseFocus,
}: DialogProps) {
  const [openers] = useState(findOpeners);
  const content = useRef<HTMLDivElement>(null);
  const width = size === "lg" ? "max-w-3xl" : "max-w-lg";
  return (
    <Primitive.Root open onOpenChange={(open) => !open && onClose()}>
      <Primitive.Portal>
        <Primitive.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Primitive.Content
          ref={(element) => void (element && openersOf.set(element, openers))}
          {...(description === undefined ? { "aria-describedby": undefined } : {})}
          onKeyDown={onKeyDown}
          onOpenAutoFocus={(event) => {
            // The initial focus goes to a field: neither Close nor the first action is the purpose of a dialog.
            const first = findFirstField(content.current) ?? content.current?.querySelector("button:not([disabled])");
            const target = actions === undefined ? first : event.currentTarget;
            if (!(target instanceof HTMLElement)) return;
            event.preventDefault();
            target.focus();
          }}
          onEscapeKeyDown={(event) => {
            // Escape first leaves a temporary field: see `leaveOnEscape`.
            if (event.target instanceof Element && event.target.closest("[data-transient]")) event.preventDefault();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (onCloseFocus === undefined) focusAgain(openers);
            else onCloseFocus();
          }}
          className={cx(
            "fixed z-50 flex flex-col border-line2 bg-panel text-text shadow-pop focus:outline-none",
            PLACE[side],
            side === "center" && width,
          )}
        >
          <header className="flex items-start gap-3 border-line border-b px-4 py-3">
            <div className="min-w-0 flex-1">
              <Primitive.Title className="font-medium text-base">{title}</Primitive.Title>
              {description !== undefined && (
                <Primitive.Description className="mt-0.5 text-mute text-sm">{description}</Primitive.Description>
              )}
            </div>
            {actions}
            <Primitive.Close asChild>
              <IconButton icon={X} label="Close" className="-my-0.5 -mr-1.5" />
            </Primitive.Close>
          </header>
          <div ref={content} className="min-h-0 flex-1 overflow-auto p-4">
            {children}
          </div>
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
