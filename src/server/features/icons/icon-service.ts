import { chooseIcon, type IconTheme } from "../../platform/shared/choose-icon";
import { type IconImage, MAX_ICON_BYTES, readDataAddress, readImage } from "./read-image";

const TIMEOUT_MS = 5_000;
const MAX_REDIRECTS = 3;
const MAX_KEPT = 300;
/** An icon that could not be read is tried again after this time. */
const KEEP_FAILURE_MS = 10 * 60_000;
const KEEP_MS = 24 * 60 * 60_000;

export interface IconPorts {
  /** Checks each address by the rules for outgoing connections, and follows no redirects. */
  fetch(url: URL, init: RequestInit): Promise<Response>;
  findToolIcons(name: string): unknown;
  findServerIcons(name: string, viewer: string): unknown;
  now(): number;
}

export interface IconRequest {
  of: "tool" | "server";
  name: string;
  theme: IconTheme;
}

/** The icons that MCP servers give themselves and their tools. The server fetches them, so that browsers ask no foreign address. */
export function createIconService({ fetch, findToolIcons, findServerIcons, now }: IconPorts) {
  /** Images by address, the least recently used first. */
  const kept = new Map<string, { image: Promise<IconImage | null>; until: number }>();

  function keep(src: string): Promise<IconImage | null> {
    const known = kept.get(src);
    kept.delete(src);
    if (known !== undefined && known.until > now()) {
      kept.set(src, known);
      return known.image;
    }
    const entry = { image: fetchIcon(src), until: now() + KEEP_MS };
    kept.set(src, entry);
    void entry.image.then((image) => {
      if (image === null) entry.until = now() + KEEP_FAILURE_MS;
    });
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_KEPT) break;
      kept.delete(oldest);
    }
    return entry.image;
  }

  /** Returns null where the address is refused, does not answer, or holds no image: an icon is never an error. */
  async function fetchIcon(src: string): Promise<IconImage | null> {
    try {
      return await followRedirects(new URL(src), AbortSignal.timeout(TIMEOUT_MS));
    } catch {
      return null;
    }
  }

  async function followRedirects(first: URL, signal: AbortSignal): Promise<IconImage | null> {
    let url = first;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const response = await fetch(url, { headers: { accept: "image/*" }, signal });
      const location = response.headers.get("location");
      if (response.status >= 300 && response.status < 400 && location !== null) {
        await response.body?.cancel();
        url = new URL(location, url);
        continue;
      }
      if (!response.ok || response.body === null) {
        await response.body?.cancel();
        return null;
      }
      const bytes = await readBounded(response.body);
      return bytes === null ? null : readImage(bytes);
    }
    return null;
  }

  return {
    /** Returns the icon for a theme; null where the tool or server has none that can be shown. */
    async read({ of, name, theme }: IconRequest, viewer: string): Promise<IconImage | null> {
      const icons = of === "tool" ? findToolIcons(name) : findServerIcons(name, viewer);
      const src = chooseIcon(icons, theme);
      if (src === null) return null;
      return /^data:/i.test(src) ? readDataAddress(src) : keep(src);
    },
  };
}

async function readBounded(body: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer> | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    // Leaving the loop cancels the rest of the response.
    if (size > MAX_ICON_BYTES) return null;
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}
