import { DESTINATIONS } from "./navigation";

type ShortcutCommand = { kind: "go"; href: string } | { kind: "help" } | { kind: "palette" };

/** A key press as the page receives it; the browser's KeyboardEvent fits. */
export interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  timeStamp: number;
}

interface ShortcutState {
  /** When `g` was last pressed; null where it was not. */
  goAt: number | null;
}

export const NO_SHORTCUT: ShortcutState = { goAt: null };

/** How long `g` waits for the key after it. */
const SEQUENCE_MS = 1_200;

const GO = new Map(DESTINATIONS.map((destination) => [destination.key, destination.href]));

/** Interprets a key press, based on the previous one; pure, so the caller listens and acts. */
export function nextShortcut(
  state: ShortcutState,
  press: KeyPress,
  options: { singleKeys: boolean; typing: boolean },
): { state: ShortcutState; command: ShortcutCommand | null } {
  const key = press.key.toLowerCase();
  if ((press.ctrlKey || press.metaKey) && !press.altKey && key === "k") {
    return { state: NO_SHORTCUT, command: { kind: "palette" } };
  }
  if (options.typing || !options.singleKeys || press.ctrlKey || press.metaKey || press.altKey) {
    return { state: NO_SHORTCUT, command: null };
  }
  if (state.goAt !== null && press.timeStamp - state.goAt <= SEQUENCE_MS) {
    const href = GO.get(key);
    if (href !== undefined) return { state: NO_SHORTCUT, command: { kind: "go", href } };
  }
  if (press.key === "?") return { state: NO_SHORTCUT, command: { kind: "help" } };
  return { state: { goAt: key === "g" ? press.timeStamp : null }, command: null };
}

export function hasModifier(event: { altKey: boolean; ctrlKey: boolean; metaKey: boolean }): boolean {
  return event.altKey || event.ctrlKey || event.metaKey;
}

/** Ctrl+Enter or ⌘+Enter: runs, saves or sends what the page is about. */
export function isSubmitKey(event: { key: string; ctrlKey: boolean; metaKey: boolean }): boolean {
  return event.key === "Enter" && (event.ctrlKey || event.metaKey);
}

/** Whether keys belong to what has the focus: a field, an editor, an open dialog or menu. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  return (
    target.closest(
      'input:not([type="checkbox"]):not([type="radio"]), textarea, select, [contenteditable="true"], [role="dialog"], [role="menu"]',
    ) !== null
  );
}
