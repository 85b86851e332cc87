import { hasRole } from "../../../lib/contract/access";
import type { FindGroupToolsets } from "../accounts/group-limits";
import { decideToolsets } from "./provisioned-roles";
import { readGroupLimits, type SettingReads } from "./provisioning-settings";
import type { ProvisioningStore } from "./provisioning-store";

interface GroupLimitPorts {
  settings: SettingReads;
  store: Pick<ProvisioningStore, "listMemberships">;
}

/** Finds the toolsets that the groups of an identity provider limit a user to. Admins have no limit. */
export function createGroupLimits({ settings, store }: GroupLimitPorts): FindGroupToolsets {
  return async ({ id, role }) => {
    if (hasRole(role, "admin")) return null;
    const limits = await readGroupLimits(settings);
    if (limits?.every(({ toolsets }) => toolsets === undefined)) return null;
    return decideToolsets(limits, (await store.listMemberships([id])).get(id) ?? []);
  };
}
