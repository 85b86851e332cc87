import { ChevronDown, ChevronUp, X } from "lucide-react";
import type { KeyboardEvent, ReactNode } from "react";
import { PaneHandle } from "@/app/_kit/pane-handle";
import { useSingleKeys } from "@/app/_kit/preferences-provider";
import { hasModifier, isTyping } from "@/app/_kit/shortcuts";
import { useDocumentKeys } from "@/app/_kit/use-document-keys";
import { useIsBeside } from "@/app/_kit/use-is-beside";
import { IconButton } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";

export interface RowDrawerProps {
  title: string;
  description: ReactNode;
  /** The noun of a row: `Previous execution`. */
  noun: string;
  onClose: () => void;
  /** Shows the next row of the list, or the one before. */
  onMove: (by: 1 | -1) => void;
  /** Takes the focus back to the list. */
  onCloseFocus: () => void;
  children: ReactNode;
}

/** One row of a list in full. `j` and `k` move on, Escape closes. In a flex row with the list. */
export function RowDrawer({ noun, onMove, ...props }: RowDrawerProps) {
  const singleKeys = useSingleKeys();
  const isBeside = useIsBeside();
  function onKeyDown(event: KeyboardEvent): void {
    const by = event.key === "j" ? 1 : event.key === "k" ? -1 : null;
    if (by === null || !singleKeys || hasModifier(event)) return;
    if (event.target instanceof Element && event.target.closest(FIELDS) !== null) return;
    event.preventDefault();
    onMove(by);
  }
  const actions = (
    <span className="-my-0.5 flex">
      <IconButton icon={ChevronUp} label={`Previous ${noun}`} aria-keyshortcuts="k" onClick={() => onMove(-1)} />
      <IconButton icon={ChevronDown} label={`Next ${noun}`} aria-keyshortcuts="j" onClick={() => onMove(1)} />
    </span>
  );
  const parts = { ...props, actions, onKeyDown };
  return isBeside ? <Beside {...parts} /> : <Dialog {...parts} side="right" />;
}

const FIELDS = 'input, textarea, select, [contenteditable="true"]';

interface BesideProps extends Omit<RowDrawerProps, "noun" | "onMove"> {
  actions: ReactNode;
  onKeyDown: (event: KeyboardEvent) => void;
}

function Beside({ title, description, actions, onKeyDown, onClose, onCloseFocus, children }: BesideProps) {
  function close(): void {
    onClose();
    onCloseFocus();
  }
  // The focus is in the list as well as in the drawer.
  useDocumentKeys((event) => {
    if (event.key === "Escape" && !event.defaultPrevented && !isTyping(event.target)) close();
  });
  return (
    <>
      <PaneHandle pane="drawer" label="Resize the drawer" resizes="after" />
      <section
        aria-label={title}
        onKeyDown={onKeyDown}
        className="flex w-[clamp(26rem,var(--pane-drawer,min(42%,44rem)),70%)] shrink-0 flex-col border-line border-l bg-panel"
      >
        <header className="flex items-start gap-3 border-line border-b px-4 py-2">
          <div className="min-w-0 flex-1">
            <h2 className="truncate font-medium text-base">{title}</h2>
            <p className="truncate text-mute text-sm">{description}</p>
          </div>
          {actions}
          <IconButton icon={X} label="Close" aria-keyshortcuts="Escape" className="-my-0.5 -mr-1.5" onClick={close} />
        </header>
        <div className="min-h-0 flex-1 overflow-auto p-4">{children}</div>
      </section>
    </>
  );
}
