import type { Principal } from "../../../lib/contract/access";
import { hasRole } from "../../../lib/contract/access";
import { type RegistrySettings, type RegistryState, registrySettingsSchema } from "../../../lib/contract/registry";
import { AppError } from "../../platform/shared/app-error";
import { type EntrySources, listEntries } from "./registry-entries";

const KEY = "registry";

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

  function list({ settings, savedAt }: Saved, reader: Principal | null, origin: string) {
    const { needsToken } = ports;
    const sources = {
      settings,
      reader,
      needsToken,
      changedAt: savedAt,
      origin: ports.publicUrl ?? new URL(origin).origin,
    };
    return listEntries({ ...sources, toolsets: ports.toolsets(), servers: ports.servers() });
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
      return { isPublic, entries: isPublic || isMember ? list(saved, reader, origin).entries : null };
    },

    async get(reader: Principal, origin: string): Promise<RegistryState> {
      const saved = read(await ports.settings.read(KEY));
      return { settings: saved.settings, revision: saved.revision, ...list(saved, reader, origin) };
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
      return { settings, revision: next.revision, ...list(next, actor, origin) };
    },
  };
}
