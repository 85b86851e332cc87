import { createHash } from "node:crypto";
import { isPlainObject } from "../../../lib/contract/json";

/** MCP servers and tools list their icons in several sizes and for two themes. */
export type IconTheme = "light" | "dark";

const MAX_ICONS = 10;
const MAX_ADDRESS_CHARS = 2_000;
const MAX_DATA_CHARS = 96_000;
/** Icons are shown at 16 px, on dense screens with twice as many. */
const SHOWN_PIXELS = 32;
const KEY_CHARS = 12;

const keys = new WeakMap<readonly unknown[], string | null>();

/**
 * Returns a key that changes with the icons; null where none can be shown.
 * @param icons as a server listed them, which may be anything
 */
export function toIconKey(icons: unknown): string | null {
  if (!Array.isArray(icons)) return null;
  const known = keys.get(icons);
  if (known !== undefined) return known;
  const sources = listSources(icons);
  const text = JSON.stringify(sources.map(({ src, theme }) => [src, theme]));
  const key = sources.length === 0 ? null : createHash("sha256").update(text).digest("base64url").slice(0, KEY_CHARS);
  keys.set(icons, key);
  return key;
}

/** Returns the address of the icon that suits the theme and the size at which icons are shown; null where there is none. */
export function chooseIcon(icons: unknown, theme: IconTheme): string | null {
  const sources = listSources(icons);
  const suited = [
    sources.filter((icon) => icon.theme === theme),
    sources.filter((icon) => icon.theme === null),
    sources,
  ].find((some) => some.length > 0);
  const [best] = (suited ?? []).toSorted((a, b) => rankSize(a.pixels) - rankSize(b.pixels));
  return best?.src ?? null;
}

interface IconSource {
  src: string;
  theme: IconTheme | null;
  /** The smallest size that is large enough; 0 where it is not known or suits every size. */
  pixels: number;
}

function listSources(icons: unknown): IconSource[] {
  if (!Array.isArray(icons)) return [];
  return icons.slice(0, MAX_ICONS).flatMap((icon) => {
    if (!isPlainObject(icon) || typeof icon.src !== "string") return [];
    const { src, theme, sizes } = icon;
    const most = /^data:/i.test(src) ? MAX_DATA_CHARS : MAX_ADDRESS_CHARS;
    if (src.length > most || !/^(?:data:|https?:\/\/)/i.test(src)) return [];
    return [{ src, theme: theme === "light" || theme === "dark" ? theme : null, pixels: readPixels(sizes) }];
  });
}

function readPixels(sizes: unknown): number {
  if (!Array.isArray(sizes)) return 0;
  const read = sizes.slice(0, MAX_ICONS).map((size) => Number(/^(\d{1,4})x\d{1,4}$/.exec(String(size))?.[1] ?? 0));
  return Math.max(0, ...read);
}

/** Sizes that are large enough come first, the smallest of them before the others. */
function rankSize(pixels: number): number {
  if (pixels === 0) return SHOWN_PIXELS;
  return pixels >= SHOWN_PIXELS ? pixels : 10_000 - pixels;
}
