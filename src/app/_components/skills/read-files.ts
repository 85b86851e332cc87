import type { SkillFileInput } from "@/lib/contract/own-skill";
import { MAX_SKILL_BYTES, MAX_SKILL_FILE_BYTES, MAX_SKILL_FILES } from "@/lib/contract/skill-limits";
import { isLeftover } from "@/lib/skill-files";
import type { DraftFile } from "./skill-draft";

/** Arguments of one call that every browser takes. */
const CHUNK = 32_768;

export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}

/** A file that the user chose, as text where it is UTF-8. @throws Error that names the file */
export async function readDraftFile(file: File, path: string): Promise<DraftFile> {
  assertSize(file, path);
  const bytes = new Uint8Array(await file.arrayBuffer());
  try {
    if (!bytes.includes(0)) {
      return { path, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
    }
  } catch {
    // The bytes are no text.
  }
  return { path, base64: toBase64(bytes), size: bytes.length };
}

/** The files of a folder that the user chose. @throws Error that names what is too large */
export async function readFolder(files: readonly File[]): Promise<SkillFileInput[]> {
  const kept = files
    .map((file) => ({ file, path: file.webkitRelativePath || file.name }))
    .filter(({ path }) => !isLeftover(path));
  if (kept.length > MAX_SKILL_FILES) {
    throw new Error(`The folder has ${kept.length} files, more than the ${MAX_SKILL_FILES} of a skill`);
  }
  const total = kept.reduce((sum, { file }) => sum + file.size, 0);
  if (total > MAX_SKILL_BYTES) {
    throw new Error(`The files have ${total} bytes together, more than the ${MAX_SKILL_BYTES} of a skill`);
  }
  return await Promise.all(
    kept.map(async ({ file, path }) => {
      assertSize(file, path);
      return { path, base64: toBase64(new Uint8Array(await file.arrayBuffer())) };
    }),
  );
}

function assertSize({ size }: File, path: string): void {
  if (size > MAX_SKILL_FILE_BYTES) {
    throw new Error(`${path} has ${size} bytes, more than the ${MAX_SKILL_FILE_BYTES} allowed`);
  }
}
