import type { Role } from "../../../lib/contract/access";
import type { Logger } from "../../engine/ports";
import type { OnAccessChange } from "../../platform/shared/watch-reader";

interface KnownRolesPorts {
  /** The users and service accounts. */
  people(): Promise<readonly { id: string; role: Role }[]>;
  onChange: OnAccessChange;
  /** Admins without an account, by their id. */
  owners: readonly string[];
  logger: Logger;
}

/** The roles of users in memory, for what decides on each call. */
export function createKnownRoles({ people, onChange, owners, logger }: KnownRolesPorts) {
  const toRoles = (known: readonly { id: string; role: Role }[]): ReadonlyMap<string, Role> =>
    new Map([
      ...owners.map((id): [string, Role] => [id, "admin"]),
      ...known.map(({ id, role }): [string, Role] => [id, role]),
    ]);
  let roles = toRoles([]);
  let reading: Promise<void> | null = null;
  let isOutdated = false;

  async function readAll(): Promise<void> {
    do {
      isOutdated = false;
      roles = toRoles(await people());
    } while (isOutdated);
  }

  function reload(): Promise<void> {
    isOutdated = true;
    reading ??= readAll()
      .catch((error: unknown) => logger.error({ err: error }, "The roles of users could not be read"))
      .finally(() => {
        reading = null;
      });
    return reading;
  }

  onChange(() => void reload());
  return {
    load: reload,
    /** Null for a user who is not known yet: the next call finds them. */
    read(userId: string): Role | null {
      const role = roles.get(userId) ?? null;
      if (role === null) void reload();
      return role;
    },
  };
}
