import { describe, expect, it } from "vitest";
import { type Attributes, GROUP_FORM, USER_FORM } from "./scim-attributes";
import { parseFilter } from "./scim-filter";
import { applyPatch } from "./scim-patch";

const USER: Attributes = {
  userName: "ada@example.com",
  active: true,
  name: { givenName: "Ada", familyName: "Byron" },
  emails: [{ value: "ada@example.com", type: "work", primary: true }],
};
const GROUP: Attributes = { displayName: "Ops", members: [{ value: "a" }, { value: "b" }] };

const patchUser = (...Operations: object[]) => applyPatch(USER_FORM, USER, { Operations });
const patchGroup = (...Operations: object[]) => applyPatch(GROUP_FORM, GROUP, { Operations }).members;

describe("a PATCH request", () => {
  it("of Okta switches a user off without a path, and changes the name beside ids that come along", () => {
    expect(patchUser({ op: "replace", value: { active: false } })).toEqual({ ...USER, active: false });
    const renamed = applyPatch(GROUP_FORM, GROUP, {
      Operations: [{ op: "replace", value: { id: "group_1", displayName: "Operations" } }],
    });
    expect(renamed).toEqual({ ...GROUP, displayName: "Operations" });
  });

  it("of Entra is read with capital operations, texts for flags, and parts by filter or name", () => {
    const changed = patchUser(
      { op: "Replace", path: "active", value: "False" },
      { op: "Add", path: 'emails[type eq "work"].value', value: "ada@example.org" },
      { op: "Replace", path: "name.familyName", value: "Lovelace" },
      { op: "Add", path: "displayName", value: [{ $ref: null, value: "Ada L." }] },
      { op: "Add", path: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", value: "R&D" },
      { op: "Replace", path: "title", value: "Countess" },
    );
    expect(changed).toEqual({
      ...USER,
      active: false,
      displayName: "Ada L.",
      name: { givenName: "Ada", familyName: "Lovelace" },
      emails: [{ value: "ada@example.org", type: "work", primary: true }],
    });
    const dotted = { op: "Add", value: { "name.givenName": "Augusta", externalId: "7", "urn:x:y:User": { a: 1 } } };
    expect(patchUser(dotted)).toMatchObject({ externalId: "7", name: { givenName: "Augusta", familyName: "Byron" } });
  });

  it("adds and removes members as either provider names them, each once", () => {
    const c = { value: "c" };
    expect(patchGroup({ op: "add", path: "members", value: [c, { ...c, display: "C" }] })).toHaveLength(3);
    expect(patchGroup({ op: "Add", path: "members", value: [{ $ref: null, ...c }] })).toContainEqual(c);
    expect(patchGroup({ op: "remove", path: 'members[value eq "a"]' })).toEqual([{ value: "b" }]);
    expect(patchGroup({ op: "Remove", path: "members", value: [{ $ref: null, value: "a" }] })).toEqual([
      { value: "b" },
    ]);
    expect(patchGroup({ op: "remove", path: "members" })).toEqual([]);
    expect(patchGroup({ op: "replace", path: "members", value: [c] })).toEqual([c]);
    expect(patchGroup({ op: "remove", path: 'members[value eq "z"]' })).toEqual(GROUP.members);
  });

  it.each([
    ["no operations", {}, "invalidSyntax"],
    ["an unknown operation", { Operations: [{ op: "move", path: "active" }] }, "invalidSyntax"],
    ["a path that is none", { Operations: [{ op: "add", path: "emails[", value: 1 }] }, "invalidPath"],
    ["a part of a text", { Operations: [{ op: "add", path: "userName.x", value: "y" }] }, "invalidPath"],
    ["a filter that is none", { Operations: [{ op: "remove", path: "emails[type gt 3]" }] }, "invalidFilter"],
    ["removing nothing", { Operations: [{ op: "remove" }] }, "noTarget"],
    ["no value", { Operations: [{ op: "replace", path: "active" }] }, "invalidValue"],
    ["a flag that is none", { Operations: [{ op: "replace", path: "active", value: "maybe" }] }, "invalidValue"],
    ["an object for a text", { Operations: [{ op: "replace", path: "userName", value: {} }] }, "invalidValue"],
    ["too many", { Operations: Array(1001).fill({ op: "replace", value: {} }) }, "tooMany"],
  ])("with %s is refused as RFC 7644 names it", (_, body, type) => {
    expect(() => applyPatch(USER_FORM, USER, body)).toThrow(expect.objectContaining({ status: 400, type }));
  });

  it("reads own properties only, so that names of the language are no attributes", () => {
    const patch = (value: string) =>
      applyPatch(USER_FORM, USER, JSON.parse(`{"Operations":[{"op":"add","value":${value}}]}`));
    expect(patch('{"constructor":"x","toString":"y","name":{"__proto__":{"givenName":"Eve"}}}')).toEqual(USER);
    expect(() => patch('{"__proto__":{"active":false}}')).toThrow("is no path");
    expect(({} as { active?: boolean }).active).toBeUndefined();
  });
});

describe("a filter", () => {
  it("is read in the forms that providers send", () => {
    expect(parseFilter('userName eq "a\\"b"')).toEqual([{ attribute: "userName", value: 'a"b' }]);
    expect(parseFilter('id EQ "1" and members eq "2"')).toEqual([
      { attribute: "id", value: "1" },
      { attribute: "members", value: "2" },
    ]);
    expect(parseFilter('emails[type eq "work"].value eq "a@b.c"')).toEqual([
      { attribute: "emails.value", value: "a@b.c" },
    ]);
    expect(parseFilter('urn:ietf:params:scim:schemas:core:2.0:User:userName eq "x"')).toEqual([
      { attribute: "userName", value: "x" },
    ]);
  });

  it.each([
    'userName sw "a"',
    "userName eq",
    'userName eq "a" or id eq "b"',
    "eq",
    `userName eq "${"x".repeat(1000)}"`,
  ])("that is another one is refused: %#", (text) => {
    expect(() => parseFilter(text)).toThrow(expect.objectContaining({ type: "invalidFilter" }));
  });
});

/** A generator of pseudo-random numbers, by which a failure can be repeated. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** The members of a group as a set, and the texts of a user: what any order of operations has to lead to. */
interface Model {
  members: Set<string>;
  texts: Map<string, string>;
  active: boolean;
}

const IDS = ["m1", "m2", "m3", "m4", "m5"];
const TEXTS = ["displayName", "externalId", "name.givenName", "name.familyName", "name.formatted"];
const asOp = (op: string, random: (below: number) => number): string =>
  [op, op.toUpperCase(), op.charAt(0).toUpperCase() + op.slice(1)][random(3)] ?? op;

/** An operation in one of the forms of providers, and what it does to the model. */
function createMemberOperation(random: (below: number) => number, model: Model): object {
  const chosen = IDS.filter(() => random(2) === 0);
  const value = chosen.map((id) => (random(2) === 0 ? { value: id } : { $ref: null, value: id, display: id }));
  const one = IDS[random(IDS.length)] ?? "m1";
  switch (random(6)) {
    case 0:
      for (const id of chosen) model.members.add(id);
      return { op: asOp("add", random), path: random(2) === 0 ? "members" : "MEMBERS", value };
    case 1:
      for (const id of chosen) model.members.add(id);
      return { op: asOp("add", random), value: { members: value } };
    case 2:
      model.members = new Set(chosen);
      return { op: asOp("replace", random), path: "members", value };
    case 3:
      for (const id of chosen) model.members.delete(id);
      return { op: asOp("remove", random), path: "members", value };
    case 4:
      model.members.delete(one);
      return { op: asOp("remove", random), path: `members[value eq "${one}"]` };
    default:
      model.members.clear();
      return { op: asOp("remove", random), path: "members" };
  }
}

function createUserOperation(random: (below: number) => number, model: Model): object {
  const path = TEXTS[random(TEXTS.length)] ?? "displayName";
  const value = `v${random(1000)}`;
  const op = asOp(random(2) === 0 ? "add" : "replace", random);
  switch (random(5)) {
    case 0:
      model.texts.delete(path);
      return { op: asOp("remove", random), path };
    case 1:
      model.active = random(2) === 0;
      return { op, path: "active", value: random(2) === 0 ? model.active : String(model.active).toUpperCase() };
    case 2:
      model.texts.set(path, value);
      return { op, value: { [path]: value, id: "ignored", "urn:a:b:User": { x: 1 } } };
    case 3: {
      model.texts.set("name.givenName", value);
      return { op, path: "name", value: { GivenName: value } };
    }
    default:
      model.texts.set(path, value);
      return { op, path: random(2) === 0 ? path : `urn:ietf:params:scim:schemas:core:2.0:User:${path}`, value };
  }
}

const readText = (attributes: Attributes, path: string): unknown => {
  const [name = "", part] = path.split(".");
  const value = attributes[name];
  return part === undefined ? value : (value as Record<string, unknown> | undefined)?.[part];
};

describe("operations in any order and form", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])("lead to what a model of a user and a group has, seed %i", (seed) => {
    const random = createRandom(seed);
    const model: Model = { members: new Set(), texts: new Map(), active: true };
    let user: Attributes = { userName: "ada", active: true };
    let group: Attributes = { displayName: "Ops", members: [] };
    for (let round = 0; round < 300; round += 1) {
      const ofUser = Array.from({ length: 1 + random(4) }, () => createUserOperation(random, model));
      const ofGroup = Array.from({ length: 1 + random(4) }, () => createMemberOperation(random, model));
      user = applyPatch(USER_FORM, user, { schemas: [], Operations: ofUser });
      group = applyPatch(GROUP_FORM, group, { schemas: [], operations: ofGroup });
      const what = JSON.stringify({ round, ofUser, ofGroup });
      expect(user.active, what).toBe(model.active);
      expect(user.userName).toBe("ada");
      for (const path of TEXTS) expect(readText(user, path), what).toBe(model.texts.get(path));
      const members = (group.members as { value: string }[]).map(({ value }) => value);
      expect([...members].sort(), what).toEqual([...model.members].sort());
    }
  });
});
