import { randomBytes } from "node:crypto";
import type { Role } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import type { RequestOrigin } from "../../../lib/contract/audit";
import type { GroupRole, GroupRoles, Provisioning } from "../../../lib/contract/provisioning";
import { AppError } from "../../platform/shared/app-error";
import { createMutex } from "../../platform/shared/mutex";
import type { AuthLibrary } from "../accounts/account-ports";
import type { createPeopleService } from "../accounts/account-service";
import type { AccountStore } from "../accounts/account-store";
import type { AuditLog } from "../audit/audit-log";
import { decideRole, decideToolsets, leavesAdmin } from "./provisioned-roles";
import type { ProvisioningSettings } from "./provisioning-settings";
import type {
  ProvisionedGroup,
  ProvisionedUser,
  ProvisioningStore,
  Slice,
  StoredUser,
  UserFilter,
} from "./provisioning-store";
import { type GroupAttributes, readAddress, readName, readStored, type UserAttributes } from "./scim-attributes";
import { badRequest, ScimError, taken } from "./scim-error";

/** The identity provider that sends SCIM requests. */
export const PROVIDER: Actor = { id: "scim", name: "Identity provider" };

export interface ProvisioningPorts {
  store: ProvisioningStore;
  settings: ProvisioningSettings;
  users: Pick<AccountStore, "people" | "findUser" | "findUserByEmail" | "updateUser" | "deleteUser">;
  people: Pick<ReturnType<typeof createPeopleService>, "setDisabled" | "remove" | "setRole">;
  /** Null while accounts are off. */
  auth: Pick<AuthLibrary, "createUser"> | null;
  audit: Pick<AuditLog, "record">;
  rolesFromSignOn: boolean;
  /** Lists that show a user's name read it again. */
  onRenamed(): Promise<void>;
  publishChange(userId: string): Promise<void>;
  /** The toolsets of these users changed. */
  publishLimits(userIds: readonly string[]): Promise<void>;
  hasToolset(name: string): boolean;
  now(): number;
}

/** Called with the current state before it is changed; no other request to this instance changes it in between. */
type Check<Resource> = (before: Resource) => void;
const noCheck = (): void => undefined;

const lastAdmin = (name: string): AppError =>
  new AppError("CONFLICT", `${name} is the only admin of this Toolroom: give someone else the role admin first`);

const toUser = (stored: StoredUser): ProvisionedUser => ({
  ...stored,
  attributes: readStored(stored.attributes, stored.user.email),
});

const noUser = (id: string): ScimError => new ScimError(404, `There is no user '${id.slice(0, 100)}'`);
const noGroup = (id: string): ScimError => new ScimError(404, `There is no group '${id.slice(0, 100)}'`);

/** The sent attributes, for the audit log. */
function toState({ userName, displayName, active, externalId }: UserAttributes) {
  return { userName, displayName: displayName ?? null, externalId: externalId ?? null, active };
}

/**
 * Creates, changes and ends accounts as an identity provider says. A change is made as a whole or refused, one at a time, and is
 * recorded in the audit log. Who is switched off or deleted loses sessions, tokens and open streams before the provider is answered.
 */
export function createProvisioningService(ports: ProvisioningPorts) {
  const { store, settings, users, people, auth, audit, now } = ports;
  const inTurn = createMutex();

  async function record(
    origin: RequestOrigin,
    action: string,
    target: { kind: string; name: string },
    states: { before?: object; after?: object } = {},
    failed?: string,
  ): Promise<void> {
    const outcome = failed === undefined ? ("done" as const) : ("failed" as const);
    const error = failed === undefined ? {} : { error: failed };
    await audit.record({ by: { ...PROVIDER, token: null, origin }, action, target, outcome, ...error, ...states });
  }

  const toTarget = ({ user: { name, email } }: ProvisionedUser) => ({ kind: "person", name: `${name} <${email}>` });

  async function getUser(id: string): Promise<ProvisionedUser> {
    const found = await store.findUser(id);
    if (found === null) throw noUser(id);
    return toUser(found);
  }

  async function getGroup(id: string): Promise<ProvisionedGroup> {
    const found = await store.findGroup(id);
    if (found === null) throw noGroup(id);
    return found;
  }

  /** Decides whose account the provider may have: one that it makes, or one that signs in with it already. */
  async function findAccount(attributes: UserAttributes): Promise<{ id: string; isNew: boolean }> {
    const email = readAddress(attributes);
    const { total } = await store.listUsers({ nameKey: attributes.userName.toLowerCase() }, { skip: 0, take: 0 });
    if (total > 0) throw taken(`userName: '${attributes.userName}' is taken`);
    const known = await users.findUserByEmail(email);
    if (known?.provisioned === true) throw taken(`emails: ${email} belongs to another provisioned user`);
    if (known?.emailVerified === true && known.signIn?.includes("sso") === true) return { id: known.id, isNew: false };
    if (known !== null) {
      throw taken(
        `emails: ${email} has an account here that does not sign in with the identity provider. Let its owner connect it by signing in with the provider, or remove it in Settings → People`,
      );
    }
    const { defaultRole: role } = await settings.readRoles();
    const name = readName(attributes);
    const created = await auth?.createUser({ email, name, role, password: null, emailVerified: true });
    if (!created) throw taken(`emails: ${email} is taken`);
    return { id: created.id, isNew: true };
  }

  /** @throws AppError where the account is the last admin's */
  async function switchOff(user: ProvisionedUser): Promise<void> {
    const { id, name, role, disabledAt } = user.user;
    if (disabledAt !== null) return;
    const others = (await users.people()).filter((each) => each.id !== id);
    if (role === "admin" && !leavesAdmin(others, new Map())) throw lastAdmin(name);
    await people.setDisabled(PROVIDER, id, true);
  }

  /** The users whose role changes with their groups, and their new roles. */
  async function planRoles(
    roles: GroupRoles,
    memberships: ReadonlyMap<string, readonly string[]>,
    ids: Iterable<string>,
  ) {
    const plan = new Map<string, Role>();
    if (ports.rolesFromSignOn) return plan;
    for (const id of ids) {
      const role = decideRole(roles, memberships.get(id) ?? []);
      const user = role === null ? null : await users.findUser(id);
      if (role !== null && user !== null && user.role !== role) plan.set(id, role);
    }
    if (plan.size === 0) return plan;
    const everyone = await users.people();
    const admins = everyone.filter(({ role, disabledAt }) => role === "admin" && disabledAt === null);
    // Before the first admin there is none to keep.
    if (admins.length > 0 && !leavesAdmin(everyone, plan)) {
      throw lastAdmin(admins.map(({ name }) => name).join(", "));
    }
    return plan;
  }

  /** Requests of these users get the toolsets of their groups at once. */
  async function applyToolsets(
    before: { limits: readonly GroupRole[] | null; memberships: ReadonlyMap<string, readonly string[]> },
    after: typeof before,
  ): Promise<void> {
    const ids = [...new Set([...before.memberships.keys(), ...after.memberships.keys()])];
    const decide = (id: string, { limits, memberships }: typeof before): string =>
      JSON.stringify(decideToolsets(limits, memberships.get(id) ?? []));
    const changed = ids.filter((id) => decide(id, before) !== decide(id, after));
    if (changed.length > 0) await ports.publishLimits(changed);
  }

  function assertToolsets({ groups }: GroupRoles): void {
    for (const [at, { group, toolsets = [] }] of groups.entries()) {
      const unknown = toolsets.find((name) => !ports.hasToolset(name));
      if (unknown === undefined) continue;
      throw new AppError(
        "INVALID",
        `groups[${at}].toolsets: there is no toolset '${unknown}'. Remove it from the group ${group}, or create it first`,
      );
    }
  }

  async function applyRoles(origin: RequestOrigin, plan: ReadonlyMap<string, Role>): Promise<void> {
    for (const [id, role] of plan) {
      const user = await users.findUser(id);
      if (user === null) continue;
      const target = { kind: "person", name: `${user.name} <${user.email}>` };
      const states = { before: { role: user.role }, after: { role } };
      // Another admin may have left since the plan was made.
      const failed = await people.setRole(PROVIDER, id, role).then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      await record(origin, "scim.setRole", target, states, failed);
    }
  }

  async function createUser(attributes: UserAttributes, origin: RequestOrigin): Promise<ProvisionedUser> {
    const { id, isNew } = await findAccount(attributes);
    const known = isNew ? null : await users.findUser(id);
    if (known?.role === "admin" && !attributes.active) {
      const others = (await users.people()).filter((each) => each.id !== id);
      if (!leavesAdmin(others, new Map())) throw lastAdmin(known.name);
    }
    if (!(await store.createUser(id, attributes, now()))) {
      if (isNew) await users.deleteUser(id);
      throw taken(`userName: '${attributes.userName}' is taken`);
    }
    if (!attributes.active) await people.setDisabled(PROVIDER, id, true);
    const user = await getUser(id);
    await record(origin, "scim.createUser", toTarget(user), { after: { ...toState(attributes), connected: !isNew } });
    await ports.publishChange(id);
    return user;
  }

  /**
   * Replaces a user. An account that an admin switched off stays switched off until the provider switches its user off
   * and on again.
   */
  async function replaceUser(
    before: ProvisionedUser,
    attributes: UserAttributes,
    origin: RequestOrigin,
  ): Promise<ProvisionedUser> {
    const { id } = before.user;
    const email = readAddress(attributes);
    const name = readName(attributes);
    const { total, users: same } = await store.listUsers(
      { nameKey: attributes.userName.toLowerCase() },
      { skip: 0, take: 1 },
    );
    if (total > 0 && same[0]?.user.id !== id) throw taken(`userName: '${attributes.userName}' is taken`);
    const isMoved = email !== readAddress(before.attributes);
    if (isMoved && ((await users.findUserByEmail(email))?.id ?? id) !== id) throw taken(`emails: ${email} is taken`);
    // Switching off comes first, since the rest may fail.
    if (before.attributes.active && !attributes.active) await switchOff(before);
    if (isMoved && !(await store.setAddress(id, email))) throw taken(`emails: ${email} is taken`);
    if (!(await store.updateUser(id, attributes, now()))) throw taken(`userName: '${attributes.userName}' is taken`);
    const isRenamed = name !== readName(before.attributes);
    if (isRenamed) await users.updateUser(id, { name });
    if (!before.attributes.active && attributes.active) await people.setDisabled(PROVIDER, id, false);
    await ports.publishChange(id);
    if (isRenamed) await ports.onRenamed();
    const user = await getUser(id);
    const states = { before: toState(before.attributes), after: toState(attributes) };
    await record(origin, "scim.updateUser", toTarget(user), states);
    return user;
  }

  async function removeUser(id: string, origin: RequestOrigin, check: Check<ProvisionedUser>): Promise<void> {
    const user = await getUser(id);
    check(user);
    const others = (await users.people()).filter((each) => each.id !== id);
    const { role, disabledAt, name } = user.user;
    if (role === "admin" && disabledAt === null && !leavesAdmin(others, new Map())) throw lastAdmin(name);
    await people.remove(PROVIDER, id);
    await record(origin, "scim.deleteUser", toTarget(user), { before: toState(user.attributes) });
  }

  /** @param before null for a new group */
  async function writeGroup(
    before: ProvisionedGroup | null,
    { displayName, externalId = null, members }: { displayName: string; externalId?: string | null; members: string[] },
    origin: RequestOrigin,
  ): Promise<ProvisionedGroup> {
    const wanted = new Set(members);
    const current = new Set(before?.members.map(({ id }) => id));
    const added = [...wanted].filter((id) => !current.has(id));
    const removed = [...current].filter((id) => !wanted.has(id));
    const known = await store.findKnown(added);
    const unknown = added.find((id) => !known.has(id));
    if (unknown !== undefined) {
      throw badRequest(
        "invalidValue",
        `members: there is no user '${unknown.slice(0, 100)}' (groups cannot be members)`,
      );
    }
    const nameKey = displayName.toLowerCase();
    const { groups: same } = await store.listGroups({ nameKey }, { skip: 0, take: 1, members: false });
    if (same.some(({ id }) => id !== before?.id)) throw taken(`displayName: '${displayName}' is taken`);

    const affected = before?.displayName === displayName ? [...added, ...removed] : [...wanted, ...removed];
    const memberships = await store.listMemberships(affected);
    const next = new Map(
      affected.map((id) => {
        const others = (memberships.get(id) ?? []).filter((name) => name !== before?.displayName);
        return [id, wanted.has(id) ? [...others, displayName] : others];
      }),
    );
    const plan = await planRoles(await settings.readRoles(), next, affected);
    const id = before?.id ?? `group_${randomBytes(15).toString("base64url")}`;
    const columns = { id, displayName, externalId, at: now() };
    const limits = await settings.readLimits();
    if (before !== null && before.displayName !== displayName) {
      await settings.copyToolsets(before.displayName, displayName);
    }
    const isStored = await (before === null ? store.createGroup(columns) : store.updateGroup(columns));
    if (!isStored) throw taken(`displayName: '${displayName}' is taken`);
    await store.changeMembers(id, { added, removed });
    await applyToolsets({ limits, memberships }, { limits: await settings.readLimits(), memberships: next });
    await applyRoles(origin, plan);
    const target = { kind: "group", name: displayName };
    const after = { displayName, added: added.length, removed: removed.length };
    const states = before === null ? { after } : { before: { displayName: before.displayName }, after };
    await record(origin, before === null ? "scim.createGroup" : "scim.updateGroup", target, states);
    return getGroup(id);
  }

  async function removeGroup(id: string, origin: RequestOrigin, check: Check<ProvisionedGroup>): Promise<void> {
    const group = await getGroup(id);
    check(group);
    const ids = group.members.map((member) => member.id);
    const memberships = await store.listMemberships(ids);
    const next = new Map(
      ids.map((member) => [member, (memberships.get(member) ?? []).filter((name) => name !== group.displayName)]),
    );
    const plan = await planRoles(await settings.readRoles(), next, ids);
    if (!(await store.deleteGroup(id))) throw noGroup(id);
    const limits = await settings.readLimits();
    await applyToolsets({ limits, memberships }, { limits, memberships: next });
    await applyRoles(origin, plan);
    await record(origin, "scim.deleteGroup", { kind: "group", name: group.displayName });
  }

  const toGroupWrite = ({ displayName, externalId, members }: GroupAttributes) => ({
    displayName,
    externalId: externalId ?? null,
    members: members.map(({ value }) => value),
  });

  return {
    async listUsers(filter: UserFilter, slice: Slice): Promise<{ total: number; users: ProvisionedUser[] }> {
      const { total, users: stored } = await store.listUsers(filter, slice);
      return { total, users: stored.map(toUser) };
    },
    listGroups: store.listGroups,
    getUser,
    getGroup,
    createUser: (attributes: UserAttributes, origin: RequestOrigin) => inTurn(() => createUser(attributes, origin)),

    /**
     * @param change returns the new attributes, based on the current ones
     * @param check throws where the request was based on another state
     */
    updateUser: (
      id: string,
      change: (before: UserAttributes) => UserAttributes,
      origin: RequestOrigin,
      check: Check<ProvisionedUser> = noCheck,
    ) =>
      inTurn(async () => {
        const before = await getUser(id);
        check(before);
        return replaceUser(before, change(before.attributes), origin);
      }),

    removeUser: (id: string, origin: RequestOrigin, check: Check<ProvisionedUser> = noCheck) =>
      inTurn(() => removeUser(id, origin, check)),

    createGroup: (attributes: GroupAttributes, origin: RequestOrigin) =>
      inTurn(() => writeGroup(null, toGroupWrite(attributes), origin)),

    /** Changes a group, based on its stored attributes as `updateUser` does. */
    updateGroup: (
      id: string,
      change: (before: GroupAttributes) => GroupAttributes,
      origin: RequestOrigin,
      check: Check<ProvisionedGroup> = noCheck,
    ) =>
      inTurn(async () => {
        const before = await getGroup(id);
        check(before);
        const { displayName, externalId, members } = before;
        const attributes = {
          displayName,
          ...(externalId !== null && { externalId }),
          members: members.map((member) => ({ value: member.id })),
        };
        return writeGroup(before, toGroupWrite(change(attributes)), origin);
      }),

    removeGroup: (id: string, origin: RequestOrigin, check: Check<ProvisionedGroup> = noCheck) =>
      inTurn(() => removeGroup(id, origin, check)),

    /** Users get the roles and toolsets of their groups at once. @throws AppError for roles of another edit */
    saveRoles: (actor: Actor, roles: GroupRoles, revision: number): Promise<Provisioning> =>
      inTurn(async () => {
        assertToolsets(roles);
        const memberships = await store.listMemberships(null);
        const plan = await planRoles(roles, memberships, memberships.keys());
        const limits = await settings.readLimits();
        await settings.saveRoles(roles, revision);
        await applyToolsets({ limits, memberships }, { limits: roles.groups, memberships });
        await applyRoles({ door: "console", address: null }, plan);
        return settings.get(actor);
      }),

    /** A toolset was renamed, or deleted where `to` is null: the groups that have it follow. */
    followToolset: (from: string, to: string | null): Promise<void> =>
      inTurn(async () => {
        const limits = await settings.readLimits();
        if (!(await settings.replaceToolset(from, to))) return;
        const memberships = await store.listMemberships(null);
        await applyToolsets({ limits, memberships }, { limits: await settings.readLimits(), memberships });
      }),
  };
}

export type ProvisioningService = ReturnType<typeof createProvisioningService>;
