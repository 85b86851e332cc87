import { expect, it } from "vitest";
import type { Role } from "../../../lib/contract/access";
import { createProvisioningService, PROVIDER, type ProvisioningPorts } from "./provisioning-service";

/** A service whose users are these, each a member of the group Ops. */
function open(people: { id: string; role: Role }[]) {
  const given: [string, Role][] = [];
  const limited: string[] = [];
  const users = people.map((each) => ({ ...each, name: each.id, email: `${each.id}@example.org`, disabledAt: null }));
  const ports = {
    store: { listMemberships: async () => new Map(users.map(({ id }) => [id, ["Ops"]])) },
    settings: { saveRoles: async () => undefined, readLimits: async () => [], get: async () => ({}) },
    publishLimits: async (ids: readonly string[]) => void limited.push(...ids),
    hasToolset: (name: string) => name === "sales",
    users: {
      people: async () => users,
      findUser: async (id: string) => users.find((each) => each.id === id) ?? null,
    },
    people: { setRole: async (_actor: unknown, id: string, role: Role) => void given.push([id, role]) },
    audit: { record: async () => undefined },
    rolesFromSignOn: false,
  } as unknown as ProvisioningPorts;
  return { given, limited, service: createProvisioningService(ports) };
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

it("publishes the toolsets of a group to its members, and names the group of a toolset that does not exist", async () => {
  const { service, limited, given } = open([{ id: "ada", role: "viewer" }]);
  const save = (toolsets: string[]) =>
    service.saveRoles(PROVIDER, { defaultRole: "viewer", groups: [{ group: "Ops", role: null, toolsets }] }, 0);
  await expect(save(["sales", "gone"])).rejects.toMatchObject({
    code: "INVALID",
    message: "groups[0].toolsets: there is no toolset 'gone'. Remove it from the group Ops, or create it first",
  });
  expect(limited).toEqual([]);
  await save(["sales"]);
  expect(limited).toEqual(["ada"]);
  expect(given, "a group without a role gives none").toEqual([]);
});
