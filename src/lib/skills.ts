import { isPlainObject } from "./contract/json";
import { SKILLS_EXTENSION } from "./mcp-extensions";

/** The fields that the extension fixes for each skill. */
const MAX_FILES = 512;
const MAX_BYTES = 16_777_216;
const DIGEST = /^sha256:[\da-f]{64}$/;
const NAME = /^[\p{Ll}\p{Lo}\p{N}]+(?:-[\p{Ll}\p{Lo}\p{N}]+)*$/u;
const MAX_NAME_CHARS = 64;
const MAX_DESCRIPTION_CHARS = 1024;
const ENTRY_FILE = "/SKILL.md";

/** A file of a skill; `digest` is `sha256:` and the hash of its bytes. */
export interface SkillFile {
  uri: string;
  digest: string;
  size: number;
}

/** A skill as its server lists it. */
export interface Skill {
  /** The URI of its `SKILL.md`. */
  uri: string;
  name: string;
  description: string;
  frontmatter: Readonly<Record<string, unknown>>;
  /** Null where the server generates them, so that nothing can be checked. */
  files: readonly SkillFile[] | null;
}

/** Reads an entry of `skills/list` or `skills/get`, or says why clients must not use it. */
export function readSkill(entry: unknown): Skill | { problem: string } {
  const { uri, frontmatter, resources } = isPlainObject(entry) ? entry : {};
  if (typeof uri !== "string" || !uri.endsWith(ENTRY_FILE)) return { problem: "uri must end with /SKILL.md" };
  const { name, description } = isPlainObject(frontmatter) ? frontmatter : {};
  if (!isPlainObject(frontmatter) || typeof name !== "string" || typeof description !== "string") {
    return { problem: "frontmatter needs name and description" };
  }
  if (!NAME.test(name) || name.length > MAX_NAME_CHARS) {
    return { problem: "frontmatter.name must be lowercase letters, digits and single hyphens, 64 at most" };
  }
  if (description === "" || description.length > MAX_DESCRIPTION_CHARS) {
    return { problem: "frontmatter.description must have 1 to 1024 characters" };
  }
  const root = getSkillRoot(uri);
  if (root.slice(root.lastIndexOf("/") + 1) !== name) {
    return { problem: `uri must end with /${name}/SKILL.md, since that is the skill's name` };
  }
  const files = resources === "dynamic" ? null : readFiles(resources, uri, root);
  if (files !== null && "problem" in files) return files;
  return { uri, name, description, frontmatter, files };
}

function readFiles(resources: unknown, uri: string, root: string): SkillFile[] | { problem: string } {
  if (!Array.isArray(resources)) return { problem: 'resources must be a list, or "dynamic"' };
  if (resources.length > MAX_FILES) return { problem: `resources has more than ${MAX_FILES} files` };
  const files: SkillFile[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  for (const each of resources) {
    const { uri: file, digest, size } = isPlainObject(each) ? each : {};
    if (typeof file !== "string" || !file.startsWith(`${root}/`) || seen.has(file)) {
      return { problem: "resources must name each file of the skill's folder once" };
    }
    if (typeof digest !== "string" || !DIGEST.test(digest)) {
      return { problem: `resources: the digest of ${file} must be sha256: and 64 hexadecimal digits` };
    }
    if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) {
      return { problem: `resources: the size of ${file} must be its number of bytes` };
    }
    bytes += size;
    seen.add(file);
    files.push({ uri: file, digest, size });
  }
  if (!seen.has(uri)) return { problem: "resources must name the SKILL.md itself" };
  return bytes > MAX_BYTES ? { problem: `the files have more than ${MAX_BYTES} bytes` } : files;
}

/** The folder of a skill's `SKILL.md`, without a slash at the end. */
export function getSkillRoot(uri: string): string {
  return uri.endsWith(ENTRY_FILE) ? uri.slice(0, -ENTRY_FILE.length) : uri;
}

/** Whether a server's capabilities declare skills. */
export function declaresSkills(capabilities: unknown): boolean {
  const extensions = isPlainObject(capabilities) ? capabilities.extensions : undefined;
  return isPlainObject(extensions) && Object.hasOwn(extensions, SKILLS_EXTENSION);
}
