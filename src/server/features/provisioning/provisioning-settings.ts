import { timingSafeEqual } from "node:crypto";
import type { Actor } from "../../../lib/contract/actor";
import {
  type GroupRole,
  type GroupRoles,
  groupRolesSchema,
  MAX_MAPPED,
  type Provisioning,
} from "../../../lib/contract/provisioning";
import { AppError } from "../../platform/shared/app-error";
import { decideToolsets } from "./provisioned-roles";
import type { ProvisioningStore } from "./provisioning-store";

const TOKEN = "provisioning.token";
const ROLES = "provisioning.roles";
const LAST_REQUEST = "provisioning.lastRequest";
/** The prefix of API tokens, by which secret scanners find it, and a word for users. */
const TOKEN_PREFIX = "trm_scim_";
const START_CHARS = TOKEN_PREFIX.length + 4;
/** The last request is written at most this often. */
const NOTE_MS = 30_000;

/** New users see everything and change nothing until a group gives them more. */
const DEFAULT_ROLES: GroupRoles = { defaultRole: "viewer", groups: [] };

interface StoredToken {
  hash: string;
  start: string;
  createdAt: number;
  createdBy: string;
}

interface SavedRoles {
  roles: GroupRoles;
  revision: number;
}

export interface ProvisioningSettingsPorts {
  accounts: boolean;
  settings: SettingReads & {
    write(key: string, value: string): Promise<void>;
    replace(key: string, before: string | null, value: string): Promise<boolean>;
  };
  store: Pick<ProvisioningStore, "count">;
  /** A random text that begins with the prefix. */
  createSecretToken(prefix: string): string;
  hashToken(token: string): string;
  /** Whether a claim of single sign-on sets roles, at each sign-in. */
  rolesFromSignOn: boolean;
  now(): number;
}

function parse<T>(text: string | null): T | null {
  try {
    return JSON.parse(text ?? "null") as T | null;
  } catch {
    return null;
  }
}

/** Roles that cannot be read, such as those of a later version, become the lowest role. */
function readSaved(text: string | null): SavedRoles {
  const saved = parse<SavedRoles>(text);
  const roles = groupRolesSchema.safeParse(saved?.roles);
  return { roles: roles.success ? roles.data : DEFAULT_ROLES, revision: Number(saved?.revision ?? 0) || 0 };
}

export interface SettingReads {
  read(key: string): Promise<string | null>;
}

/** The groups with their toolsets; null where they cannot be read, which must not turn into no limit. */
export async function readGroupLimits(settings: SettingReads): Promise<readonly GroupRole[] | null> {
  const text = await settings.read(ROLES);
  if (text === null) return [];
  const roles = groupRolesSchema.safeParse(parse<SavedRoles>(text)?.roles);
  return roles.success ? roles.data.groups : null;
}

/** The connection of an identity provider: its token, and the roles that its groups give. */
export function createProvisioningSettings(ports: ProvisioningSettingsPorts) {
  const { accounts, settings, store, createSecretToken, hashToken, rolesFromSignOn, now } = ports;
  let notedAt = 0;

  const readToken = async (): Promise<StoredToken | null> => parse<StoredToken>(await settings.read(TOKEN));

  /** @param change returns null where nothing changes */
  async function editGroups(change: (groups: readonly GroupRole[]) => GroupRole[] | null): Promise<boolean> {
    for (;;) {
      const text = await settings.read(ROLES);
      const { roles, revision } = readSaved(text);
      const groups = change(roles.groups);
      if (groups === null) return false;
      const saved = { roles: { ...roles, groups }, revision: revision + 1 } satisfies SavedRoles;
      if (await settings.replace(ROLES, text, JSON.stringify(saved))) return true;
    }
  }

  return {
    readRoles: async (): Promise<GroupRoles> => readSaved(await settings.read(ROLES)).roles,

    async get(_actor: Actor): Promise<Provisioning> {
      const token = await readToken();
      const { roles, revision } = readSaved(await settings.read(ROLES));
      return {
        token: token && { start: token.start, createdAt: token.createdAt, createdBy: token.createdBy },
        lastRequest: parse<Provisioning["lastRequest"]>(await settings.read(LAST_REQUEST)),
        ...(await store.count()),
        roles,
        revision,
        rolesFromSignOn,
      };
    },

    /** The earlier token ends. @returns the token's text, which is shown once */
    async createToken(actor: Actor): Promise<{ text: string }> {
      if (!accounts) throw new AppError("CONFLICT", "Provisioning needs accounts: switch them on first");
      const text = createSecretToken(TOKEN_PREFIX);
      const token = {
        hash: hashToken(text),
        start: text.slice(0, START_CHARS),
        createdAt: now(),
        createdBy: actor.name,
      };
      await settings.write(TOKEN, JSON.stringify(token satisfies StoredToken));
      return { text };
    },

    /** Ends the provider's access; its users stay. */
    async revokeToken(_actor: Actor): Promise<void> {
      if ((await readToken()) === null) throw new AppError("NOT_FOUND", "There is no token to revoke");
      await settings.write(TOKEN, "null");
    },

    readLimits: () => readGroupLimits(settings),

    /**
     * Replaces the name of a toolset in the groups, or removes it: a group that had toolsets keeps limiting its members.
     * @returns false where no group has it
     */
    replaceToolset: (from: string, to: string | null): Promise<boolean> =>
      editGroups((groups) => {
        if (!groups.some(({ toolsets }) => toolsets?.includes(from))) return null;
        return groups.map(({ toolsets, ...group }) => {
          if (toolsets === undefined) return group;
          const names = toolsets.map((name) => (name === from ? to : name)).filter((name) => name !== null);
          return { ...group, toolsets: [...new Set(names)] };
        });
      }),

    /** Called before the provider renames a group: its members must not lose the limit. @returns false where it has none */
    copyToolsets: (from: string, to: string): Promise<boolean> =>
      editGroups((groups) => {
        const toolsets = decideToolsets(groups, [from]);
        if (toolsets === null || decideToolsets(groups, [to]) !== null) return null;
        const copied = { group: to, role: null, toolsets };
        const isFull = groups.length >= MAX_MAPPED;
        return [...(isFull ? groups.filter(({ group }) => group !== from) : groups), copied];
      }),

    async saveRoles(roles: GroupRoles, revision: number): Promise<void> {
      const text = await settings.read(ROLES);
      const before = readSaved(text);
      const changed = new AppError(
        "CONFLICT",
        "The roles of groups were changed after you opened them. Reload the page",
      );
      if (revision !== before.revision) throw changed;
      const saved = JSON.stringify({ roles, revision: before.revision + 1 } satisfies SavedRoles);
      if (!(await settings.replace(ROLES, text, saved))) throw changed;
    },

    /** @param sent the text after `Bearer` */
    async isToken(sent: string): Promise<boolean> {
      const token = accounts ? await readToken() : null;
      if (token === null) return false;
      const given = Buffer.from(hashToken(sent));
      const known = Buffer.from(token.hash);
      return given.length === known.length && timingSafeEqual(given, known);
    },

    /** Notes a request for the settings page; the caller does not wait. */
    noteRequest(request: { method: string; path: string; status: number }): void {
      const at = now();
      if (Math.abs(at - notedAt) < NOTE_MS) return;
      notedAt = at;
      void settings.write(LAST_REQUEST, JSON.stringify({ at, ...request })).catch(() => undefined);
    },
  };
}

export type ProvisioningSettings = ReturnType<typeof createProvisioningSettings>;
