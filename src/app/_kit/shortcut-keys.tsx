import { Kbd, type KbdProps } from "@/app/_ui/kbd";
import { useIsMac } from "./preferences-provider";

interface ShortcutKeysProps extends Omit<KbdProps, "children"> {
  /** The key that is pressed with the platform's modifier. */
  with: string;
}

/** `⌘K` on a Mac, `Ctrl+K` elsewhere. */
export function ShortcutKeys({ with: key, ...look }: ShortcutKeysProps) {
  return <Kbd {...look}>{useIsMac() ? `⌘${key}` : `Ctrl+${key}`}</Kbd>;
}
