import { expect, it } from "vitest";
import type { Role } from "../../../lib/contract/access";
import { createProvisioningService, PROVIDER, type ProvisioningPorts } from "./provisioning-service";

/** A service whose users are these, each a member of the group Ops. */
function open(people: { id: string; role: Role }[]) {
  const given: [string, Role][] = [];
  const users = people.map((each) => ({ ...each, name: each.id, email: `${each.id}@example.org`, disabledAt: null }));
  const ports = {
    store: { listMemberships: async () => new Map(users.map(({ id }) => [id, ["Ops"]])) },
    settings: { saveRoles: async () => undefined, get: async () => ({}) },
    users: {
      people: async () => users,
      findPerson: async (id: string) => users.find((each) => each.id === id) ?? null,
    },
    people: { setRole: async (_actor: unknown, id: string, role: Role) => void given.push([id, role]) },
    audit: { record: async () => undefined },
    rolesFromSignOn: false,
  } as unknown as ProvisioningPorts;
  return { given, service: createProvisioningService(ports) };
}
const ROLES = { defaultRole: "viewer", groups: [{ group: "Ops", role: "operator" }] } as const;

it("gives the roles of groups before there is an admin, and never takes the role of the last one", async () => {
  const before = open([{ id: "ada", role: "viewer" }]);
  await before.service.saveRoles(PROVIDER, { ...ROLES, groups: [...ROLES.groups] }, 0);
  expect(before.given).toEqual([["ada", "operator"]]);
  const after = open([
    { id: "ada", role: "viewer" },
    { id: "root", role: "admin" },
  ]);
  const refused = after.service.saveRoles(PROVIDER, { ...ROLES, groups: [...ROLES.groups] }, 0);
  await expect(refused).rejects.toMatchObject({
    code: "CONFLICT",
    message: expect.stringContaining("root is the only"),
  });
  expect(after.given).toEqual([]);
});
