import type { Actor } from "../../../lib/contract/actor";
import type {
  OwnSkill,
  OwnSkillSummary,
  SkillCause,
  SkillFileInput,
  SkillVersion,
  SkillVersionDetail,
} from "../../../lib/contract/own-skill";
import { isLeftover, SKILL_FILE, stripTopFolder } from "../../../lib/skill-files";
import { decodeText } from "../../../lib/strict-text";
import { AT_START, type ChangeOrigin, createEdits } from "../../platform/shared/announced-edits";
import { AppError, invalidInput } from "../../platform/shared/app-error";
import { nameConflict } from "../../platform/shared/name-conflict";
import { createKnownSkills } from "./known-skills";
import type { OwnSkillStore, StoredSkill } from "./own-skill-store";
import { readArchive } from "./read-archive";
import { type FolderFile, readSkillFolder, type SkillFolder, type StoredFile } from "./skill-folder";
import { toFiles, toSummary } from "./to-skill";
import { writeArchive } from "./write-archive";

/** Each is listed to every client of `/mcp`. */
const MAX_OWN_SKILLS = 500;

export interface SkillImport {
  /** A zip archive, in base64. */
  archive?: string | undefined;
  files?: readonly SkillFileInput[] | undefined;
  /** Makes it the next version of the skill that has the name. */
  replace: boolean;
}

interface OwnSkillPorts {
  store: OwnSkillStore;
  /** Called after skills changed, with the URIs of files that are other ones now. */
  onChange: (origin: ChangeOrigin, uris: readonly string[]) => void;
}

export type OwnSkillService = ReturnType<typeof createOwnSkillService>;

/** Skills of the team: folders of files with versions, which MCP clients read like those of servers. */
export function createOwnSkillService({ store, onChange }: OwnSkillPorts) {
  const known = createKnownSkills(store);
  const { edit, follow } = createEdits((origin) => onChange(origin, known.takeChangedUris()));

  /** The bytes of files as they were sent. @throws AppError that names the file */
  async function readInput(input: readonly SkillFileInput[], current: StoredSkill | null): Promise<FolderFile[]> {
    const kept = input.flatMap(({ digest }) => digest ?? []);
    const stored = current === null || kept.length === 0 ? NO_BYTES : await store.readBytes(current.name, kept);
    return input.map((file) => ({ path: file.path, bytes: readFile(file, stored) }));
  }

  async function read(skill: StoredSkill, files: readonly StoredFile[] = skill.files) {
    return toFiles(
      skill.name,
      files,
      await store.readBytes(
        skill.name,
        files.map(({ digest }) => digest),
      ),
    );
  }

  async function toSkill(skill: StoredSkill): Promise<OwnSkill> {
    const { version: revision, changedBy: by, updatedAt: at } = skill;
    return { ...toSummary(skill), files: await read(skill), lastEdit: { revision, by, at } };
  }

  async function requireVersion(name: string, number: number) {
    known.get(name);
    const version = await store.version(name, number);
    if (version !== null) return version;
    throw new AppError("NOT_FOUND", `Skill '${name}' has no version ${number}: it was deleted, or never there`);
  }

  /** Stores a folder as the next version; equal files make none. */
  async function replace(folder: SkillFolder, { cause, by, revision }: Replacement): Promise<StoredSkill> {
    const current = known.get(folder.name);
    if (current.digest === folder.digest && (revision === undefined || revision === current.version)) return current;
    return await store.update(folder, { cause, by, revision });
  }

  async function add(folder: SkillFolder, by: Actor, cause: SkillCause): Promise<StoredSkill> {
    if (known.has(folder.name)) throw nameConflict("skill", folder.name);
    if (known.all().length >= MAX_OWN_SKILLS) {
      throw new AppError("CONFLICT", `There are ${MAX_OWN_SKILLS} skills, which is the limit: delete some`);
    }
    return await store.create(folder, { cause, by });
  }

  return {
    async load(): Promise<void> {
      await known.load(AT_START);
      known.takeChangedUris();
    },
    /** Loads what another instance of the server changed and announces. */
    follow: (): Promise<void> => follow(known.load),

    has: known.has,
    /** The current versions, without the bytes of their files. */
    all: known.all,
    readBytes: store.readBytes,
    find: known.find,
    /** Checks files that come without a skill. @throws AppError that names every problem */
    readInputs: async (files: readonly SkillFileInput[]): Promise<SkillFolder> =>
      await readSkillFolder(await readInput(files, null)),
    /** The files of a skill as they can be sent again. */
    async toInputs(name: string): Promise<SkillFileInput[]> {
      const { files } = known.get(name);
      const bytes = await store.readBytes(
        name,
        files.map(({ digest }) => digest),
      );
      return files.map(({ path, digest }) => toInput(path, bytes.get(digest) ?? EMPTY));
    },
    /** Runs a write to the database while no one else changes skills, then follows the database. */
    applyStored: <T>(write: () => Promise<T>): Promise<T> =>
      edit(async (change) => {
        const result = await write();
        await known.load(change);
        return result;
      }),

    list: (): OwnSkillSummary[] => known.all().map(toSummary),
    get: async (name: string): Promise<OwnSkill> => await toSkill(known.get(name)),
    /** What the audit log keeps of a skill. */
    describe: (name: string) => toSummary(known.get(name)),

    create: (actor: Actor, files: readonly SkillFileInput[]): Promise<OwnSkill> =>
      edit(async (change) => {
        const folder = await readSkillFolder(await readInput(files, null));
        return await toSkill(known.put(change, await add(folder, actor, "created")));
      }),

    /** @param revision the version that the user saw; absent: it overwrites whatever is there */
    update: (actor: Actor, name: string, files: readonly SkillFileInput[], revision?: number): Promise<OwnSkill> =>
      edit(async (change) => {
        const folder = await readSkillFolder(await readInput(files, known.get(name)));
        if (folder.name !== name) throw rename(name, folder.name);
        const stored = await replace(folder, { cause: "edited", by: actor, revision });
        return await toSkill(known.put(change, stored));
      }),

    /** Stores all files or nothing. */
    async import(actor: Actor, input: SkillImport): Promise<OwnSkill> {
      const folder = await readSkillFolder(withoutTop(await readImport(input, readInput)));
      return await edit(async (change) => {
        const isReplaced = input.replace && known.has(folder.name);
        const stored = isReplaced
          ? await replace(folder, { cause: "imported", by: actor, revision: undefined })
          : await add(folder, actor, "imported");
        return await toSkill(known.put(change, stored));
      });
    },

    delete: (_actor: Actor, name: string, revision?: number): Promise<{ name: string }> =>
      edit(async (change) => {
        known.get(name);
        await store.delete(name, revision);
        known.remove(change, name);
        return { name };
      }),

    async versions(name: string): Promise<SkillVersion[]> {
      known.get(name);
      return await store.versions(name);
    },

    async version(name: string, number: number): Promise<SkillVersionDetail> {
      const { frontmatter: _frontmatter, files, ...facts } = await requireVersion(name, number);
      const bytes = files.reduce((sum, { size }) => sum + size, 0);
      return { ...facts, name, fileCount: files.length, bytes, files: await read(known.get(name), files) };
    },

    /** Makes the files of an earlier version the next one. */
    restore: (actor: Actor, name: string, number: number, revision?: number): Promise<OwnSkill> =>
      edit(async (change) => {
        const version = await requireVersion(name, number);
        const bytes = await store.readBytes(
          name,
          version.files.map(({ digest }) => digest),
        );
        const files = version.files.map(({ path, digest }) => ({ path, bytes: bytes.get(digest) ?? new Uint8Array() }));
        const folder = await readSkillFolder(files);
        return await toSkill(known.put(change, await replace(folder, { cause: "restored", by: actor, revision })));
      }),

    /** The current version as a zip archive. */
    async export(name: string): Promise<{ fileName: string; base64: string }> {
      const { files } = known.get(name);
      const bytes = await store.readBytes(
        name,
        files.map(({ digest }) => digest),
      );
      const archive = writeArchive(
        name,
        files.map(({ path, digest }) => ({ path, bytes: bytes.get(digest) ?? EMPTY })),
      );
      return { fileName: `${name}.zip`, base64: archive.toString("base64") };
    },
  };
}

interface Replacement {
  cause: SkillCause;
  by: Actor;
  revision: number | undefined;
}

const EMPTY = new Uint8Array();

function toInput(path: string, bytes: Uint8Array): SkillFileInput {
  const text = decodeText(bytes);
  return text === null ? { path, base64: Buffer.from(bytes).toString("base64") } : { path, text };
}
const NO_BYTES: ReadonlyMap<string, Uint8Array> = new Map();

/** @throws AppError where the file has not exactly one content, or names one that is not stored */
function readFile({ path, text, base64, digest }: SkillFileInput, stored: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const contents = [text, base64, digest].filter((content) => content !== undefined);
  const at = `files: ${JSON.stringify(path.slice(0, 200))}`;
  if (contents.length !== 1) throw invalidInput("", [{ path: at, message: "needs one of text, base64 and digest" }]);
  if (text !== undefined) return Buffer.from(text);
  if (base64 !== undefined) return Buffer.from(base64, "base64");
  const bytes = stored.get(digest ?? "");
  if (bytes !== undefined) return bytes;
  throw invalidInput("", [{ path: at, message: "digest is none of a file that the skill has: send its content" }]);
}

async function readImport(
  { archive, files }: SkillImport,
  readInput: (input: readonly SkillFileInput[], current: null) => Promise<FolderFile[]>,
): Promise<FolderFile[]> {
  if ((archive === undefined) === (files === undefined)) {
    throw invalidInput("", [{ path: "archive", message: "send either archive or files" }]);
  }
  return archive === undefined ? await readInput(files ?? [], null) : await readArchive(Buffer.from(archive, "base64"));
}

/** The files without what systems leave in folders, in the folder that has the `SKILL.md`. */
function withoutTop(files: readonly FolderFile[]): FolderFile[] {
  const kept = files.filter(({ path }) => !isLeftover(path));
  const paths = stripTopFolder(kept.map(({ path }) => path));
  return kept.map(({ bytes }, at) => ({ path: paths[at] ?? "", bytes }));
}

function rename(name: string, next: string): AppError {
  const message = `name is '${next}' in the front matter, and must stay '${name}': create another skill for another name`;
  return invalidInput("The skill is invalid: ", [{ path: SKILL_FILE, message }], ": ");
}
