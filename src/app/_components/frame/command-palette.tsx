import { Command } from "cmdk";
import { Dialog } from "radix-ui";
import { type KeyboardEvent, useState } from "react";
import { useKeptEnter } from "@/app/_kit/use-kept-enter";
import { usePausedDraft } from "@/app/_kit/use-paused-draft";
import { useDenial, usePrincipal } from "@/app/_ui/access";
import { cx } from "@/app/_ui/class-names";
import { useFocusReturn } from "@/app/_ui/dialog";
import { explainDenial } from "@/lib/contract/access";
import { isFirstSettled, type PaletteCommand, rankCommands } from "./palette-commands";
import { usePaletteCommands } from "./use-palette-commands";

export function CommandPalette({ onClose, onShortcuts }: { onClose: () => void; onShortcuts: () => void }) {
  const [asked, setAsked] = useState("");
  /** The user chose another result than the first since typing. */
  const [hasMoved, setMoved] = useState(false);
  const search = usePausedDraft(asked, setAsked);
  const { commands, pending } = usePaletteCommands(onShortcuts, { typed: search.shown, asked });
  const principal = usePrincipal();
  const returnFocus = useFocusReturn();
  const ranked = rankCommands(commands, search.shown);
  // What is shown may be the answer to an earlier text until the groups above it are read.
  const isBusy = !isFirstSettled(ranked[0]?.group, pending);
  const isAllowed = ({ needs }: PaletteCommand) => needs === undefined || explainDenial(principal, needs) === null;
  const first = ranked.flatMap((group) => group.commands).find(isAllowed);
  const enter = useKeptEnter({ first, isBusy, pick: run });
  // The search that fits every text is not what Enter runs before the server has answered.
  const groups = enter.isKept || (isBusy && ranked[0]?.group === "Search") ? [] : ranked;

  function run(command: PaletteCommand) {
    onClose();
    command.run();
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key.startsWith("Arrow")) setMoved(true);
    if (event.key !== "Enter" || event.nativeEvent.isComposing || !isBusy || hasMoved) return;
    event.preventDefault();
    // The pause after typing is for those who go on.
    search.commit(search.shown);
    enter.keep();
  }

  function type(text: string): void {
    enter.cancel();
    setMoved(false);
    search.type(text);
  }

  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={returnFocus}
          className="fixed top-[12dvh] left-1/2 z-50 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-xl border border-line2 bg-panel text-text shadow-pop"
        >
          <Dialog.Title className="sr-only">Search or run a command</Dialog.Title>
          <Command shouldFilter={false} loop label="Commands" onKeyDown={onKeyDown}>
            <Command.Input
              value={search.shown}
              onValueChange={type}
              placeholder="Search or run a command"
              className="h-11 w-full border-line border-b bg-transparent px-4 text-base outline-none"
            />
            <Command.List label="Results" className="max-h-[min(26rem,60dvh)] overflow-y-auto p-1.5">
              <Command.Empty className="px-2.5 py-6 text-center text-mute">
                {enter.isKept && "Opening the first result…"}
                {!enter.isKept && (isBusy ? "Searching…" : `No results for “${search.shown}”`)}
              </Command.Empty>
              {groups.map(({ group, commands: found }) => (
                <Command.Group
                  key={group}
                  heading={group}
                  className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:text-faint"
                >
                  {found.map((command) => (
                    <PaletteItem key={command.id} command={command} onRun={run} />
                  ))}
                </Command.Group>
              ))}
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function PaletteItem({ command, onRun }: { command: PaletteCommand; onRun: (command: PaletteCommand) => void }) {
  const denial = useDenial(command.needs);
  const hint = denial ?? command.hint;
  return (
    <Command.Item
      value={command.id}
      disabled={denial !== null}
      onSelect={() => onRun(command)}
      className="flex h-8 max-sm:h-10 cursor-pointer items-center gap-3 rounded-md px-2.5 aria-disabled:cursor-not-allowed aria-disabled:text-faint data-[selected=true]:bg-accent-bg"
    >
      <span
        dir="auto"
        className={cx("truncate", denial === null ? "min-w-0" : "shrink-0", command.mono && "font-mono text-xs")}
      >
        {command.label}
      </span>
      {hint !== undefined && (
        <span
          className={cx("ml-auto text-2xs text-mute", denial === null ? "shrink-0" : "min-w-0 truncate")}
          title={denial ?? undefined}
        >
          {hint}
        </span>
      )}
    </Command.Item>
  );
}
