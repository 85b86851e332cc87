"use client";

import { X } from "lucide-react";
import { Dialog as Primitive } from "radix-ui";
import type { KeyboardEvent, ReactNode } from "react";
import { IconButton } from "./button";
import { cx } from "./class-names";

export interface DialogProps {
  /** The dialog is open while it is rendered. */
  onClose: () => void;
  title: string;
  description?: ReactNode;
  children: ReactNode;
  /** Where it stands: in the middle, or along an edge at full height. */
  side?: "center" | "left" | "right";
  size?: "md" | "lg" | undefined;
  /** Buttons beside Close. */
  actions?: ReactNode;
  onKeyDown?: (event: KeyboardEvent) => void;
  /** Moves the focus after closing; without it, it goes back to the trigger. */
  onCloseFocus?: () => void;
}

const PLACE = {
  center: "top-[12dvh] left-1/2 max-h-[80dvh] w-[calc(100vw-2rem)] -translate-x-1/2 rounded-xl border",
  left: "inset-y-0 left-0 w-[min(17rem,85vw)] border-r",
  right: "inset-y-0 right-0 w-[min(44rem,100vw)] border-l",
} as const;

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
  const width = size === "lg" ? "max-w-3xl" : "max-w-lg";
  return (
    <Primitive.Root open onOpenChange={(open) => !open && onClose()}>
      <Primitive.Portal>
        <Primitive.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Primitive.Content
          {...(description === undefined ? { "aria-describedby": undefined } : {})}
          onKeyDown={onKeyDown}
          onOpenAutoFocus={(event) => {
            // The first of the actions is seldom what the dialog was opened for.
            if (actions === undefined || !(event.currentTarget instanceof HTMLElement)) return;
            event.preventDefault();
            event.currentTarget.focus();
          }}
          onCloseAutoFocus={(event) => {
            if (onCloseFocus === undefined) return;
            event.preventDefault();
            onCloseFocus();
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
              <IconButton label="Close" className="-my-0.5 -mr-1.5">
                <X aria-hidden size={15} strokeWidth={1.6} />
              </IconButton>
            </Primitive.Close>
          </header>
          <div className="min-h-0 flex-1 overflow-auto p-4">{children}</div>
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
