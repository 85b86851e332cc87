import { MAX_SKILL_PATH_CHARS } from "./contract/skill-limits";

const MAX_LEVELS = 8;
const MAX_SEGMENT_CHARS = 100;

/** The file that every skill has. */
export const SKILL_FILE = "SKILL.md";
/** The name under which skills of the team stand among servers: no server can have it, since it has a space. */
export const OWN_SKILLS = "own skills";

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const UNPORTABLE = /[\u0000-\u001f\u007f<>:"|?*\\]/;
/** Names that Windows keeps for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
/** What operating systems leave in folders and archives. */
const LEFTOVER = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$)/;

/** Files that an import leaves out. */
export const isLeftover = (path: string): boolean => LEFTOVER.test(path);

/** Says why a file cannot have this path on every system; null where it can. */
export function explainPath(path: string): string | null {
  if (path === "") return "is empty";
  if (path.length > MAX_SKILL_PATH_CHARS) return `is longer than ${MAX_SKILL_PATH_CHARS} characters`;
  if (path.startsWith("/") || /^[a-z]:/i.test(path)) return "must be relative to the skill's folder";
  if (UNPORTABLE.test(path)) return 'must not have control characters or any of < > : " | ? * \\';
  if (!path.isWellFormed()) return "is not valid Unicode";
  const segments = path.split("/");
  if (segments.length > MAX_LEVELS) return `is more than ${MAX_LEVELS} folders deep`;
  for (const segment of segments) {
    const problem = explainSegment(segment);
    if (problem !== null) return problem;
  }
  return null;
}

function explainSegment(segment: string): string | null {
  if (segment === "") return "must not have an empty folder name";
  if (segment === "." || segment === "..") return "must not have . or .. as a folder";
  if (segment.length > MAX_SEGMENT_CHARS) return `has a name of more than ${MAX_SEGMENT_CHARS} characters`;
  if (/[. ]$/.test(segment) || segment.startsWith(" ")) return "must not have names that end in a dot or space";
  return DEVICE.test(segment) ? `has the name ${segment}, which Windows keeps for a device` : null;
}

/** Equal for paths that are one file where letter case or composed characters make no difference. */
const toKey = (path: string): string => path.normalize("NFC").toLowerCase();

/** Says what is wrong with paths that are in one folder together: `path` and why, the first for each path. */
export function findPathProblems(paths: readonly string[]): { path: string; message: string }[] {
  const known = new Map<string, string>();
  const folders = new Map<string, string>();
  const problems: { path: string; message: string }[] = [];
  for (const path of paths) {
    const message = explainPath(path) ?? explainClash(path, known, folders);
    if (message !== null) problems.push({ path, message });
    known.set(toKey(path), path);
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      folders.set(toKey(path.slice(0, end)), path);
    }
  }
  return problems;
}

function explainClash(
  path: string,
  known: ReadonlyMap<string, string>,
  folders: ReadonlyMap<string, string>,
): string | null {
  const key = toKey(path);
  const same = known.get(key);
  if (same !== undefined) return same === path ? "is there twice" : `is ${same} where letter case does not count`;
  const inside = folders.get(key);
  if (inside !== undefined) return `is a folder too, with ${inside} in it`;
  for (let end = key.lastIndexOf("/"); end > 0; end = key.lastIndexOf("/", end - 1)) {
    const file = known.get(key.slice(0, end));
    if (file !== undefined) return `is in ${file}, which is a file`;
  }
  return null;
}

/** The paths without the one folder that all of them are in, where that holds the `SKILL.md`. */
export function stripTopFolder(paths: readonly string[]): string[] {
  if (paths.includes(SKILL_FILE)) return [...paths];
  const [first = ""] = paths;
  const top = first.slice(0, first.indexOf("/") + 1);
  const isShared = top !== "" && paths.every((path) => path.startsWith(top)) && paths.includes(top + SKILL_FILE);
  return isShared ? paths.map((path) => path.slice(top.length)) : [...paths];
}

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css",
  csv: "text/csv",
  gif: "image/gif",
  htm: "text/html",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  md: "text/markdown",
  pdf: "application/pdf",
  png: "image/png",
  py: "text/x-python",
  sh: "application/x-sh",
  svg: "image/svg+xml",
  toml: "application/toml",
  ts: "text/x-typescript",
  webp: "image/webp",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  zip: "application/zip",
};

/** The media type by the file's extension. */
export function getMediaType(path: string, isText: boolean): string {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  const known = Object.hasOwn(TYPES, extension) ? TYPES[extension] : undefined;
  return known ?? (isText ? "text/plain" : "application/octet-stream");
}

/** The URI of a file of a skill of the team. */
export function toSkillUri(name: string, path: string): string {
  return `skill://${name}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** The skill and the path that `toSkillUri` made a URI of; null for another URI. */
export function readSkillUri(uri: string): { name: string; path: string } | null {
  const match = /^skill:\/\/([^/]+)\/(.+)$/.exec(uri);
  if (match === null) return null;
  const [, name = "", rest = ""] = match;
  try {
    const path = rest.split("/").map(decodeURIComponent).join("/");
    return toSkillUri(name, path) === uri ? { name, path } : null;
  } catch {
    return null;
  }
}
