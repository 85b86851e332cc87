import { useRouter } from "next/navigation";
import { createContext, type ReactNode, use, useMemo, useRef, useState } from "react";
import { useSingleKeys } from "@/app/_kit/preferences-provider";
import { isSubmitKey, isTyping, NO_SHORTCUT, nextShortcut } from "@/app/_kit/shortcuts";
import { useDocumentKeys } from "@/app/_kit/use-document-keys";
import { onDemand } from "@/app/_ui/on-demand";

const CommandPalette = onDemand(() => import("./command-palette"), "CommandPalette");
const ShortcutsDialog = onDemand(() => import("./shortcuts-dialog"), "ShortcutsDialog");

type Opened = "palette" | "shortcuts" | null;

interface FrameCommands {
  openPalette: () => void;
  openShortcuts: () => void;
}

const FrameCommandsContext = createContext<FrameCommands>({
  openPalette: () => undefined,
  openShortcuts: () => undefined,
});

export function useFrameCommands(): FrameCommands {
  return use(FrameCommandsContext);
}

/** Holds what the whole product opens over the page, and listens for the keys that open it. */
export function FrameCommandsProvider({ children }: { children: ReactNode }) {
  const router = useRouter();
  const singleKeys = useSingleKeys();
  const [opened, setOpened] = useState<Opened>(null);
  const shortcut = useRef(NO_SHORTCUT);
  const commands = useMemo<FrameCommands>(
    () => ({ openPalette: () => setOpened("palette"), openShortcuts: () => setOpened("shortcuts") }),
    [],
  );

  useDocumentKeys((event) => {
    if (isSubmitKey(event)) return submitForm(event);
    if (event.defaultPrevented || event.isComposing) return;
    const { state, command } = nextShortcut(shortcut.current, event, { singleKeys, typing: isTyping(event.target) });
    shortcut.current = state;
    if (command === null) return;
    event.preventDefault();
    if (command.kind === "go") router.push(command.href);
    if (command.kind === "help") setOpened("shortcuts");
    if (command.kind === "palette") setOpened((before) => (before === "palette" ? null : "palette"));
  });

  const close = () => setOpened(null);
  return (
    <FrameCommandsContext value={commands}>
      {children}
      {opened === "palette" && <CommandPalette onClose={close} onShortcuts={commands.openShortcuts} />}
      {opened === "shortcuts" && <ShortcutsDialog onClose={close} />}
    </FrameCommandsContext>
  );
}

const DIALOG_FORM = "[data-dialog-form]";

/**
 * Submits the form around the focus, also from a field that takes line breaks, or that of the dialog in front. Some forms
 * listen for the key themselves.
 */
function submitForm(event: KeyboardEvent): void {
  const at = event.target instanceof Element ? event.target : null;
  const form = at?.closest("form:not([data-submit-key])") ?? at?.closest('[role="dialog"]')?.querySelector(DIALOG_FORM);
  const submit = form?.querySelector<HTMLElement>('[type="submit"]');
  if (submit == null) return;
  event.preventDefault();
  submit.click();
}
