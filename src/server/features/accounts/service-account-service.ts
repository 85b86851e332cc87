import { randomBytes } from "node:crypto";
import type { Principal, Role } from "../../../lib/contract/access";
import type { ApiToken, ApiTokenInput } from "../../../lib/contract/account";
import { type Actor, isServiceAccount, SERVICE_ACCOUNT_PREFIX } from "../../../lib/contract/actor";
import type { ServiceAccount, ServiceAccountChange, ServiceAccountInput } from "../../../lib/contract/service-account";
import { AppError } from "../../platform/shared/app-error";
import type { AccessEndings } from "./access-endings";
import type { AccountStore } from "./account-store";
import type { ServiceAccountStore, StoredServiceAccount } from "./service-account-store";
import type { createTokenService } from "./token-service";

export interface ServiceAccountPorts {
  /** Whether accounts are on. Without accounts, programs need none either. */
  accounts: boolean;
  store: ServiceAccountStore;
  users: Pick<AccountStore, "people" | "findUser" | "updateUser" | "deleteUser">;
  tokens: Pick<ReturnType<typeof createTokenService>, "create">;
  endings: Pick<AccessEndings, "endAll" | "publishChange">;
  /** An account was switched off or removed. */
  onLeft(userId: string): Promise<void>;
  /** Called so that lists with the name are read again. */
  onRenamed(): Promise<void>;
  now(): number;
}

/** Users that are programs: they act by API tokens of their own, never sign in, and approve nothing. */
export function createServiceAccountService(ports: ServiceAccountPorts) {
  const { accounts, store, users, tokens, endings, onLeft, onRenamed, now } = ports;

  async function find(id: string): Promise<StoredServiceAccount> {
    const found = await store.find(id);
    if (found === null) throw new AppError("NOT_FOUND", `There is no service account '${id}'`);
    return found;
  }

  /** @throws AppError for one that cannot answer for a service account */
  async function checkOwner(ownerId: string): Promise<void> {
    const owner = isServiceAccount({ id: ownerId }) ? null : await users.findUser(ownerId);
    if (owner !== null && owner.disabledAt === null) return;
    const message = "must be the id of a user with an active account, who answers for the service account";
    throw new AppError("INVALID", `ownerId ${message}`, [{ path: "ownerId", message }]);
  }

  async function withOwner({ ownerId, ...account }: StoredServiceAccount): Promise<ServiceAccount> {
    const owner = ownerId === null ? null : await users.findUser(ownerId);
    const isActive = owner !== null && owner.disabledAt === null;
    return { ...account, owner: isActive ? { id: owner.id, name: owner.name } : null };
  }

  return {
    async list(_actor: Actor): Promise<ServiceAccount[]> {
      const found = await store.list();
      const active = new Map(
        (found.length === 0 ? [] : await users.people())
          .filter(({ disabledAt }) => disabledAt === null)
          .map(({ id, name }) => [id, { id, name }]),
      );
      return found.map(({ ownerId, ...account }) => ({ ...account, owner: active.get(ownerId ?? "") ?? null }));
    },

    get: async (_actor: Actor, id: string): Promise<ServiceAccount> => withOwner(await find(id)),

    /** For the audit log; null for one that was removed. */
    async toState(id: string) {
      const found = await store.find(id);
      if (found === null) return null;
      const { name, about, role, owner, disabledAt } = await withOwner(found);
      return { name, about, role, owner: owner?.name ?? null, enabled: disabledAt === null };
    },

    /** For the audit log: the id of one that was removed. */
    describe: async (id: string): Promise<string> => (await store.find(id))?.name ?? id,

    async create(_actor: Actor, { name, about, role, ownerId }: ServiceAccountInput): Promise<ServiceAccount> {
      if (!accounts) throw new AppError("CONFLICT", "Service accounts need accounts: switch them on first");
      await checkOwner(ownerId);
      const id = `${SERVICE_ACCOUNT_PREFIX}${randomBytes(15).toString("hex")}`;
      await store.create({ id, name, about, role, ownerId, createdAt: now() });
      await endings.publishChange(id);
      return withOwner(await find(id));
    },

    async update(_actor: Actor, id: string, change: ServiceAccountChange): Promise<ServiceAccount> {
      const { name, about, ownerId, enabled } = change;
      const before = await find(id);
      if (ownerId !== undefined) await checkOwner(ownerId);
      await store.update(id, { about, ownerId });
      const disabledAt = enabled === true ? null : (before.disabledAt ?? now());
      const changes = { ...(name !== undefined && { name }), ...(enabled !== undefined && { disabledAt }) };
      await users.updateUser(id, changes);
      await endings.publishChange(id);
      if (name !== undefined && name !== before.name) await onRenamed();
      if (enabled === false && before.disabledAt === null) {
        await endings.endAll(id);
        await onLeft(id);
      }
      return withOwner(await find(id));
    },

    async setRole(_actor: Actor, id: string, role: Role): Promise<void> {
      await find(id);
      await users.updateUser(id, { role });
      await endings.publishChange(id);
    },

    async remove(_actor: Actor, id: string): Promise<void> {
      await find(id);
      // The account's tokens are deleted with it.
      await endings.endAll(id);
      await users.deleteUser(id);
      await endings.publishChange(id);
      await onLeft(id);
    },

    /** @returns the token's text, which is shown once */
    async createToken(actor: Principal, id: string, input: ApiTokenInput): Promise<{ token: ApiToken; text: string }> {
      const { name, disabledAt } = await find(id);
      if (disabledAt !== null) throw new AppError("CONFLICT", `${name} is switched off: switch it on first`);
      return tokens.create(actor, input, { id, name });
    },
  };
}
