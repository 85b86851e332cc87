import { ShortcutKeys } from "@/app/_kit/shortcut-keys";
import { Kbd } from "@/app/_ui/kbd";

export interface KeyHintProps {
  keys: string;
  /** Pressed with Ctrl or ⌘. */
  withModifier?: boolean;
}

/** The key of a button, for eyes and wide screens only: a phone has no keys. */
export function KeyHint({ keys, withModifier = false }: KeyHintProps) {
  return (
    <span aria-hidden className="max-lg:hidden">
      {withModifier ? <ShortcutKeys with={keys} plain /> : <Kbd plain>{keys}</Kbd>}
    </span>
  );
}
