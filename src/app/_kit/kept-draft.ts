import { toStorageName } from "@/lib/base-path";

/** Longer drafts are not kept: a site has about 5 MB. */
const MAX_CHARS = 500_000;

const PREFIX = "toolroom.kept.";

interface KeptDraft {
  /** Identifies the version of the tool or server that the draft changes. */
  base: string;
  text: string;
  /** Whether secrets were left out of the text. */
  withheld: boolean;
}

/** Returns the draft that this tab kept under the name; null where there is none, or the browser stores nothing. */
export function readKept(name: string): KeptDraft | null {
  try {
    const held: unknown = JSON.parse(sessionStorage.getItem(toStorageName(PREFIX + name)) ?? "null");
    if (typeof held !== "object" || held === null) return null;
    const { base, text, withheld } = held as Record<string, unknown>;
    if (typeof base !== "string" || typeof text !== "string") return null;
    return { base, text, withheld: withheld === true };
  } catch {
    return null;
  }
}

/** @param kept null removes it */
export function writeKept(name: string, kept: KeptDraft | null): void {
  try {
    if (kept === null || kept.text.length > MAX_CHARS) sessionStorage.removeItem(toStorageName(PREFIX + name));
    else sessionStorage.setItem(toStorageName(PREFIX + name), JSON.stringify(kept));
  } catch {
    // Blocked or full: the draft is lost with the page, as without it.
  }
}
