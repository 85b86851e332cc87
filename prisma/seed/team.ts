import type { Role } from "../../src/lib/contract/access";
import type { RequestOrigin } from "../../src/lib/contract/audit";
import { toolsetInputSchema } from "../../src/lib/contract/toolset";
import type { SeedContext, Services } from "./seed-context";

const ORIGIN: RequestOrigin = { door: "console", address: null };

interface Member {
  name: string;
  address: string;
  groups: readonly string[];
}

const MEMBERS: readonly Member[] = [
  { name: "Inês Ferreira", address: "ines@example.org", groups: ["Tool editors", "Engineering"] },
  { name: "Tom Okafor", address: "tom@example.org", groups: ["Support"] },
  { name: "Mei Tanaka", address: "mei@example.org", groups: ["Engineering"] },
];
/** None is admin: the link for the first account stays. */
const ROLES: Readonly<Record<string, Role>> = { "Tool editors": "editor", Support: "operator" };
/** What MCP clients of the group Support may use. */
const DESK = toolsetInputSchema.parse({
  name: "support_desk",
  title: "Support desk",
  description: "Tools for questions of customers",
  tools: ["calculator"],
  patterns: ["*order*", "*customer*"],
});
const SERVICE = { name: "Shop backend", about: "Looks up orders for the shop.", role: "operator" } as const;

/** Users and groups as an identity provider sends them, roles and toolsets of the groups, and a service account without a token. */
export async function seedTeam({ withServices }: SeedContext): Promise<string> {
  return withServices(async (services) => {
    if (!(await services.system.info()).accountMode.accounts) return "left out: accounts are off";
    const ids = new Map<string, string>();
    let added = 0;
    for (const member of MEMBERS) {
      const found = await findUser(services, member.address);
      ids.set(member.address, found ?? (await addUser(services, member)));
      if (found === null) added += 1;
    }
    const groups = await addGroups(services, ids);
    const { roles, revision } = await services.api.scim.get();
    if (roles.groups.length === 0) {
      if (!services.toolsets.has(DESK.name)) await services.api.toolsets.create(DESK);
      const mapped = Object.entries(ROLES).map(([group, role]) =>
        group === "Support" ? { group, role, toolsets: [DESK.name] } : { group, role },
      );
      await services.api.scim.saveRoles({ roles: { defaultRole: "viewer", groups: mapped }, revision });
    }
    const accounts = await services.api.serviceAccounts.list();
    const ownerId = ids.get(MEMBERS[0]?.address ?? "") ?? "";
    const isNew = !accounts.some(({ name }) => name === SERVICE.name);
    if (isNew) await services.api.serviceAccounts.create({ ...SERVICE, ownerId });
    return `${added} users, ${groups} groups with roles${isNew ? ", a service account" : ""}`;
  });
}

async function findUser({ provisioning }: Services, address: string): Promise<string | null> {
  const { users } = await provisioning.listUsers({ nameKey: address }, { skip: 0, take: 1 });
  return users[0]?.user.id ?? null;
}

async function addUser({ provisioning }: Services, { name, address }: Member): Promise<string> {
  const emails = [{ value: address, type: "work", primary: true }];
  const attributes = { userName: address, displayName: name, emails, active: true };
  return (await provisioning.createUser(attributes, ORIGIN)).user.id;
}

async function addGroups({ provisioning }: Services, ids: ReadonlyMap<string, string>): Promise<number> {
  let added = 0;
  for (const displayName of new Set(MEMBERS.flatMap(({ groups }) => groups))) {
    const slice = { skip: 0, take: 1, members: false };
    const { total } = await provisioning.listGroups({ nameKey: displayName.toLowerCase() }, slice);
    if (total > 0) continue;
    const members = MEMBERS.filter(({ groups }) => groups.includes(displayName)).map(({ address }) => ({
      value: ids.get(address) ?? "",
    }));
    await provisioning.createGroup({ displayName, members }, ORIGIN);
    added += 1;
  }
  return added;
}
