import { readdirSync } from "node:fs";
import path from "node:path";
import { isPlainObject } from "../../../lib/contract/json";
import { getMessage } from "../../../lib/get-message";
import { ENTRY_NAME, readServers } from "./bridge-command";
import { CLIENTS, type Client, type Machine, type NamedFolders } from "./clients";
import { type ConfigFormat, type SectionPath, type SectionServer, UneditableText } from "./config-format";
import { JSON_CONFIG } from "./json-config";
import { TOML_CONFIG } from "./toml-config";
import { readIfThere } from "./wrap-state";
import { YAML_CONFIG } from "./yaml-config";

/** Larger than any file of a client; the parsers would hold the machine. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;
const BOM = "\uFEFF";

/** A section of a file with its servers. */
export interface FileSection {
  path: SectionPath;
  /** The folder of the project that it is for; null for all. */
  project: string | null;
  servers: SectionServer[];
}

/** A configuration file of a client, as it is on the disk. */
export interface ClientFile {
  client: Client;
  path: string;
  bytes: Buffer;
  /** The text without the byte order mark. */
  text: string;
  format: ConfigFormat;
  value: unknown;
  sections: FileSection[];
  /** A note on the file where the client has several; null for none. */
  note: string | null;
  /**
   * In a project's file: the servers that Toolroom's entry in the user's own files serves. The client uses the
   * project's entry in its place.
   */
  userServers: string[];
}

/** A file that exists and cannot be read. */
export interface UnreadFile {
  client: Client;
  path: string;
  reason: string;
}

export function findFormat(file: string): ConfigFormat {
  if (/\.toml$/i.test(file)) return TOML_CONFIG;
  return /\.ya?ml$/i.test(file) ? YAML_CONFIG : JSON_CONFIG;
}

/** The user's own files that are there. */
export function listClientFiles(machine: Machine, clients: readonly Client[] = CLIENTS): [Client, string][] {
  return clients.flatMap((client) => findExisting(client, listOwnFiles(client, machine)));
}

/** The possible paths of the user's own files of a client. */
function listOwnFiles(client: Client, machine: Machine): string[] {
  return [...client.files(machine), ...(client.namedFolders?.(machine) ?? []).flatMap(listInFolders)];
}

function listInFolders({ parent, name, files }: NamedFolders): string[] {
  try {
    const folders = readdirSync(parent).filter((each) => name.test(each));
    return folders.sort().flatMap((folder) => files.map((file) => path.join(parent, folder, file)));
  } catch {
    return [];
  }
}

/** The files of the project where the user is. Others may share them, so they change only where they are named. */
export function listProjectFiles(machine: Machine, clients: readonly Client[] = CLIENTS): [Client, string][] {
  const folder = path.resolve(machine.workFolder);
  const own = new Set(listClientFiles(machine, clients).map(([, file]) => path.resolve(file)));
  return clients
    .flatMap((client) =>
      findExisting(
        client,
        client.projectFiles.map((file) => path.join(folder, file)),
      ),
    )
    .filter(([, file]) => !own.has(file));
}

function findExisting(client: Client, files: readonly string[]): [Client, string][] {
  return files.flatMap(expandFolder).flatMap((file) => (isThere(file) ? [[client, file]] : []));
}

/** A file that cannot be read exists: its reason is shown with the others. */
function isThere(file: string): boolean {
  try {
    return readIfThere(file) !== null;
  } catch {
    return true;
  }
}

function expandFolder(file: string): string[] {
  try {
    return readdirSync(file)
      .filter((name) => /\.(?:ya?ml|json)$/i.test(name))
      .sort()
      .map((name) => path.join(file, name));
  } catch {
    return [file];
  }
}

/** Reads a file that is there. Never throws for what stands in it. */
export function readClientFile(client: Client, file: string, machine: Machine): ClientFile | UnreadFile {
  const unread = (reason: string): UnreadFile => ({ client, path: file, reason });
  try {
    const bytes = readIfThere(file);
    if (bytes === null) return unread("is not there");
    if (bytes.length > MAX_FILE_BYTES) return unread(`has ${bytes.length} bytes, more than are read`);
    const text = decodeText(bytes);
    if (text === null) return unread("is not UTF-8: save it as UTF-8 first");
    const format = findFormat(file);
    const own = client.describeFile === undefined ? [] : listClientFiles(machine, [client]).map(([, each]) => each);
    const note = client.describeFile?.(file, machine, own) ?? null;
    const empty = { client, path: file, bytes, text, format, value: null, sections: [], note, userServers: [] };
    if (text.trim() === "") return empty;
    const value = format.parse(text);
    const project = findProject(client, file, machine);
    const sections = findSections(client, text, value, project, format);
    return { ...empty, value, sections, userServers: project === null ? [] : readUserServers(client, machine) };
  } catch (error) {
    if (error instanceof UneditableText) return unread(error.message);
    return unread(`cannot be read: ${getMessage(error)}`);
  }
}

function readUserServers(client: Client, machine: Machine): string[] {
  return listClientFiles(machine, [client]).flatMap(([, file]) => {
    const read = readClientFile(client, file, machine);
    const own = "reason" in read ? [] : read.sections.filter(({ project }) => project === null);
    return own.flatMap(({ servers }) =>
      servers.flatMap(({ name, value }) => (name === ENTRY_NAME ? (readServers(value) ?? []) : [])),
    );
  });
}

/** Null for bytes that would change in a round trip. */
export function decodeText(bytes: Buffer): string | null {
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? text.replace(BOM, (mark, at: number) => (at === 0 ? "" : mark)) : null;
}

/** @param original the bytes whose byte order mark the text keeps */
export function encodeText(text: string, original: Buffer): Buffer {
  return Buffer.from(original.toString("utf8", 0, 3) === BOM ? BOM + text : text);
}

/** The folder of the project that a file is for; null for one of the user, also where the user's folder is the project. */
function findProject(client: Client, file: string, machine: Machine): string | null {
  const { projectFiles } = client;
  const place = path.resolve(file);
  const isOwn = listOwnFiles(client, machine).some((each) => [place, path.dirname(place)].includes(path.resolve(each)));
  if (isOwn) return null;
  for (const each of projectFiles) {
    for (const found of [place, path.dirname(place)]) {
      if (found.endsWith(path.sep + path.normalize(each))) return found.slice(0, -each.length - 1) || path.sep;
    }
  }
  return null;
}

function findSections(
  { sections, projectsKey }: Client,
  text: string,
  value: unknown,
  project: string | null,
  format: ConfigFormat,
): FileSection[] {
  const found = sections.map((section): [SectionPath, string | null] => [section, project]);
  const projects = projectsKey !== undefined && isPlainObject(value) ? value[projectsKey] : undefined;
  if (projectsKey !== undefined && isPlainObject(projects)) {
    for (const folder of Object.keys(projects)) found.push([[projectsKey, folder, "mcpServers"], folder]);
  }
  return found.flatMap(([section, folder]) => {
    const servers = hasSection(value, section) ? format.listServers(text, section) : null;
    return servers === null || servers.length === 0 ? [] : [{ path: section, project: folder, servers }];
  });
}

/** Asked of the value first: a file may have thousands of projects without servers. */
function hasSection(value: unknown, section: SectionPath): boolean {
  let found = value;
  for (const key of section) found = isPlainObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return (isPlainObject(found) || Array.isArray(found)) && Object.keys(found).length > 0;
}
