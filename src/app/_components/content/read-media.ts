import { formatBytes } from "@/lib/format";

/** Binary data of an answer. Everything with data can be saved; what has no problem is also shown or played. */
export interface Media {
  kind: "image" | "audio" | "file";
  /** Lower case and without parameters; `application/octet-stream` where the server's is no type at all. */
  mimeType: string;
  /** Null where there is nothing to save: no data, or no base64. */
  base64: string | null;
  bytes: number | null;
  /** Why it is not shown; null where it is. */
  problem: string | null;
}

/** A browser does not respond while it reads more than this in one element. */
export const MAX_PREVIEW_BYTES = 16 * 1_048_576;

/** SVG is among them because `<img>` runs no script and loads nothing that an SVG asks for; it is never put in the page. */
const IMAGE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"]);
const MIME_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const UNKNOWN_TYPE = "application/octet-stream";

/** @param expected the kind that the block states; an embedded resource states only its type */
export function readMedia(data: unknown, mimeType: unknown, expected: "image" | "audio" | null): Media {
  const type = normalType(mimeType);
  const kind = getKind(type);
  const none = { kind, mimeType: type, base64: null, bytes: null };
  if (typeof data !== "string" || data === "") return { ...none, problem: "It has no data." };
  const base64 = /\s/.test(data) ? data.replace(/\s+/g, "") : data;
  const bytes = base64Bytes(base64);
  if (bytes === null) return { ...none, problem: "Its data is not valid base64, so it cannot be shown or saved." };
  return { kind, mimeType: type, base64, bytes, problem: previewProblem(kind, type, bytes, expected) };
}

function previewProblem(kind: Media["kind"], type: string, bytes: number, expected: string | null): string | null {
  if (expected !== null && kind !== expected)
    return `“${type}” is not a supported ${expected} type. Save it to view it.`;
  if (kind === "file") return `“${type}” can't be shown here. Save it to view it.`;
  if (bytes > MAX_PREVIEW_BYTES) return `${formatBytes(bytes)} is too large to show here. Save it to view it.`;
  return null;
}

function normalType(mimeType: unknown): string {
  if (typeof mimeType !== "string") return UNKNOWN_TYPE;
  const type = (mimeType.split(";")[0] ?? "").trim().toLowerCase();
  return type.length <= 100 && MIME_TYPE.test(type) ? type : UNKNOWN_TYPE;
}

function getKind(type: string): Media["kind"] {
  if (IMAGE_TYPES.has(type)) return "image";
  return type.startsWith("audio/") ? "audio" : "file";
}

/**
 * The number of bytes that a base64 text encodes; null where it is not base64. Accepts missing padding, as browsers do.
 */
function base64Bytes(text: string): number | null {
  if (!BASE64.test(text)) return null;
  const digits = text.replace(/=+$/, "");
  if (digits.length % 4 === 1 || (digits.length !== text.length && text.length % 4 !== 0)) return null;
  return Math.floor((digits.length * 3) / 4);
}

export function dataUrl({ mimeType, base64 }: Media): string | null {
  return base64 === null ? null : `data:${mimeType};base64,${base64}`;
}

const EXTENSIONS = new Map([
  ["image/png", "png"],
  ["image/jpeg", "jpg"],
  ["image/gif", "gif"],
  ["image/webp", "webp"],
  ["image/svg+xml", "svg"],
  ["audio/mpeg", "mp3"],
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
  ["audio/ogg", "ogg"],
  ["audio/mp4", "m4a"],
  ["application/pdf", "pdf"],
  ["application/json", "json"],
  ["application/zip", "zip"],
  ["application/gzip", "gz"],
  ["text/plain", "txt"],
  ["text/html", "html"],
]);

const MAX_NAME_CHARS = 100;

/** A name to save under: the last part of the resource's address, without anything that a file system minds. */
export function fileName(media: Pick<Media, "kind" | "mimeType">, uri: string | null): string {
  const last = uri?.split(/[?#]/)[0]?.split(/[\\/]/).at(-1) ?? "";
  const named = last
    .replace(/[^\p{L}\p{N}._ -]/gu, "_")
    .replace(/^[. ]+/, "")
    .slice(-MAX_NAME_CHARS);
  const extension = EXTENSIONS.get(media.mimeType) ?? "bin";
  if (named === "") return `${media.kind}.${extension}`;
  return named.includes(".") ? named : `${named}.${extension}`;
}
