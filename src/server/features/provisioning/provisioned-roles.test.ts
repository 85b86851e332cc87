import fc from "fast-check";
import { expect, it } from "vitest";
import type { GroupRole } from "../../../lib/contract/provisioning";
import { decideRole, decideToolsets } from "./provisioned-roles";

const GROUPS = ["a", "b", "c"];
const toolsets = fc.subarray(["one", "two", "three"]);
const limits: fc.Arbitrary<GroupRole[]> = fc.array(
  fc
    .record({ group: fc.constantFrom(...GROUPS), toolsets: fc.option(toolsets, { nil: undefined }) })
    .map(({ toolsets: names, group }) => ({ group, role: null, ...(names === undefined ? {} : { toolsets: names }) })),
  { maxLength: 5 },
);

it("limits a user to the union of the toolsets of all groups, and not at all where no group has toolsets", () => {
  fc.assert(
    fc.property(limits, fc.subarray(GROUPS), (groups, memberOf) => {
      const own = groups.filter((each) => memberOf.includes(each.group) && each.toolsets !== undefined);
      const decided = decideToolsets(groups, memberOf);
      expect(decided === null).toBe(own.length === 0);
      for (const name of ["one", "two", "three"]) {
        expect(decided?.includes(name) === true).toBe(own.some((each) => each.toolsets?.includes(name) === true));
      }
    }),
  );
});

it("gives no toolset to members of a group while the limits cannot be read", () => {
  expect([decideToolsets(null, ["a"]), decideToolsets(null, [])]).toEqual([[], null]);
});

it("changes no role by groups that only limit toolsets", () => {
  const groups = [{ group: "a", role: null, toolsets: ["one"] }];
  expect(decideRole({ defaultRole: "editor", groups }, ["a"])).toBeNull();
  expect(decideRole({ defaultRole: "viewer", groups: [...groups, { group: "b", role: "editor" }] }, ["a"])).toBe(
    "viewer",
  );
});
