import { createHash } from "node:crypto";
import { isPlainObject } from "../../../../lib/contract/json";
import { getMediaType } from "../../../../lib/skill-files";
import { getSkillRoot, type SkillFile } from "../../../../lib/skills";
import { decodeText } from "../../../../lib/strict-text";

/** The bytes of a file in the answer to `resources/read`; null where it has none. */
export function readFileBytes(uri: string, { contents }: Record<string, unknown>): Uint8Array | null {
  const found: unknown[] = Array.isArray(contents) ? contents : [];
  const part = found.length === 1 ? found[0] : found.find((each) => isPlainObject(each) && each.uri === uri);
  if (!isPlainObject(part)) return null;
  const { text, blob } = part;
  if (typeof text === "string") return Buffer.from(text);
  return typeof blob === "string" ? Buffer.from(blob, "base64") : null;
}

/** Says why bytes are not those of a listed file; null where they are. */
export function findFileProblem({ digest, size }: SkillFile, bytes: Uint8Array | null): string | null {
  if (bytes === null) return "the answer has no content";
  if (bytes.length !== size) return `it has ${bytes.length} bytes instead of ${size}`;
  const hash = toDigest(bytes);
  return hash === digest ? null : `its digest is ${hash} instead of ${digest}`;
}

const toDigest = (bytes: Uint8Array): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

/** The path of a file within the folder of its skill. */
export const toFilePath = (skillUri: string, uri: string): string => uri.slice(getSkillRoot(skillUri).length + 1);

/** The answer to `resources/read` for bytes that were verified: nothing in it is the server's own words. */
export function toFileContents(uri: string, bytes: Uint8Array): Record<string, unknown> {
  const text = decodeText(bytes);
  const content = text === null ? { blob: Buffer.from(bytes).toString("base64") } : { text };
  return { contents: [{ uri, mimeType: getMediaType(uri, text !== null), ...content }] };
}
