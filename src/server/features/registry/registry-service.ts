import type { Principal } from "../../../lib/contract/access";
import { hasRole } from "../../../lib/contract/access";
import {
  type RegistryEntry,
  type RegistrySettings,
  type RegistryState,
  registrySettingsSchema,
  SKILLS_META,
} from "../../../lib/contract/registry";
import type { ServedSkill } from "../../../lib/contract/served-skill";
import { AppError } from "../../platform/shared/app-error";
import { type EntrySources, listEntries, type RegistryPart } from "./registry-entries";

const KEY = "registry";
/** Of one entry: clients list the others themselves. */
const MAX_SKILLS = 100;

interface Saved {
  settings: RegistrySettings;
  revision: number;
  savedAt: number;
}

interface RegistryPorts extends Pick<EntrySources, "needsToken"> {
  settings: {
    read(key: string): Promise<string | null>;
    replace(key: string, before: string | null, value: string): Promise<boolean>;
  };
  toolsets(): EntrySources["toolsets"];
  servers(): EntrySources["servers"];
  /** The skills that a reader's clients receive at the address of a part. */
  skills(part: RegistryPart, reader: Principal): Promise<ServedSkill[]>;
  /** The address of the console; null where the request says it. */
  publicUrl: string | null;
  startedAt: number;
  now(): number;
}

export type RegistryService = ReturnType<typeof createRegistryService>;

/** The addresses of this Toolroom as an MCP registry, which clients take as a list of servers that they allow. */
export function createRegistryService(ports: RegistryPorts) {
  const read = (text: string | null): Saved => {
    const saved = text === null ? null : (JSON.parse(text) as Saved);
    const settings = registrySettingsSchema.safeParse(saved?.settings ?? {});
    // Settings of a later version give no access.
    const closed = registrySettingsSchema.parse({ access: "off" });
    return {
      settings: settings.success ? settings.data : closed,
      revision: saved?.revision ?? 0,
      savedAt: saved?.savedAt ?? ports.startedAt,
    };
  };

  /** An entry with the skills that clients of its address receive. */
  async function addSkills(entry: RegistryEntry, part: RegistryPart | undefined, reader: Principal) {
    const skills = part === undefined ? [] : await ports.skills(part, reader);
    if (skills.length === 0) return entry;
    return { ...entry, _meta: { ...entry._meta, [SKILLS_META]: skills.slice(0, MAX_SKILLS) } };
  }

  async function list({ settings, savedAt }: Saved, reader: Principal | null, origin: string) {
    const { needsToken } = ports;
    const sources = {
      settings,
      reader,
      needsToken,
      changedAt: savedAt,
      origin: ports.publicUrl ?? new URL(origin).origin,
    };
    const listed = listEntries({ ...sources, toolsets: ports.toolsets(), servers: ports.servers() });
    const { entries, refused, parts } = listed;
    if (!settings.skills || reader === null) return { entries, refused };
    return {
      entries: await Promise.all(entries.map((entry) => addSkills(entry, parts.get(entry), reader))),
      refused,
    };
  }

  return {
    /** @param origin of the request @returns null where this reader gets nothing */
    async open(origin: string, reader: Principal | null) {
      const saved = read(await ports.settings.read(KEY));
      const { access, leastRole } = saved.settings;
      const isPublic = access === "public";
      if (access === "off") return { isPublic, entries: null };
      const isMember = reader !== null && hasRole(reader.role, leastRole);
      // A public reader sees the entries that are visible without a token of its own.
      return { isPublic, entries: isPublic || isMember ? (await list(saved, reader, origin)).entries : null };
    },

    async get(reader: Principal, origin: string): Promise<RegistryState> {
      const saved = read(await ports.settings.read(KEY));
      return { settings: saved.settings, revision: saved.revision, ...(await list(saved, reader, origin)) };
    },

    /** @param revision of the settings that the edit began with */
    async save(
      actor: Principal,
      settings: RegistrySettings,
      origin: string,
      revision?: number,
    ): Promise<RegistryState> {
      const text = await ports.settings.read(KEY);
      const before = read(text);
      const next: Saved = { settings, revision: before.revision + 1, savedAt: ports.now() };
      const isCurrent = revision === undefined || revision === before.revision;
      if (!isCurrent || !(await ports.settings.replace(KEY, text, JSON.stringify(next)))) {
        throw new AppError("CONFLICT", "The registry's settings were changed by another save: load them again");
      }
      return { settings, revision: next.revision, ...(await list(next, actor, origin)) };
    },
  };
}
