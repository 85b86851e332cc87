import { useSingleKeys } from "@/app/_kit/preferences-provider";
import { ShortcutKeys } from "@/app/_kit/shortcut-keys";
import { hasModifier, isTyping } from "@/app/_kit/shortcuts";
import { useDocumentKeys } from "@/app/_kit/use-document-keys";
import { Kbd } from "@/app/_ui/kbd";

/**
 * A key of the inbox; null does nothing.
 * @param withModifier pressed with Ctrl or ⌘, since what it does may destroy something; such keys also work while a user types
 */
export function useInboxKey(key: string, act: (() => void) | null, withModifier = false): void {
  const singleKeys = useSingleKeys();
  useDocumentKeys((event) => {
    if (act === null || event.repeat || event.defaultPrevented || event.key !== key) return;
    if (withModifier ? !event.ctrlKey && !event.metaKey : hasModifier(event) || isTyping(event.target) || !singleKeys)
      return;
    event.preventDefault();
    act();
  });
}

/** The key of a button, for eyes and wide screens only: a phone has no keys. */
export function KeyHint({ keys, withModifier = false }: { keys: string; withModifier?: boolean }) {
  return (
    <span aria-hidden className="max-lg:hidden">
      {withModifier ? <ShortcutKeys with={keys} plain /> : <Kbd plain>{keys}</Kbd>}
    </span>
  );
}
