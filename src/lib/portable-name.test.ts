import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SERVER_NAME_PATTERN } from "./contract/server";
import { TOOL_NAME_PATTERN } from "./contract/tool-definition";
import { aliasesByName, aliasNames, catalogToolName, portableName } from "./portable-name";

const PORTABLE = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const anyName = fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ minLength: 60, maxLength: 200 }));

describe("portableName", () => {
  it.each(["files__read_file", "_x", "a-b", "x".repeat(64)])("leaves %s alone", (name) => {
    expect(portableName(name)).toBe(name);
  });

  it.each([
    ["files__read.file", /^files__read_file_[0-9a-f]{8}$/],
    ["1password__get", /^_1password__get_[0-9a-f]{8}$/],
    ["-x", /^_-x_[0-9a-f]{8}$/],
    ["café 🍵", /^caf____[0-9a-f]{8}$/],
    ["", /^__[0-9a-f]{8}$/],
    ["y".repeat(65), /^y{55}_[0-9a-f]{8}$/],
  ])("makes %j readable and portable", (name, expected) => {
    expect(portableName(name)).toMatch(expected);
  });

  it("gives the aliases that are already in use: a change of the hash would break saved conversations", () => {
    expect([portableName("files__read.file"), portableName("y".repeat(65))]).toMatchInlineSnapshot(`
      [
        "files__read_file_3429803d",
        "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy_bcd66664",
      ]
    `);
  });

  it("RTE-04 tells names apart that differ in a replaced or a cut character", () => {
    const long = "z".repeat(100);
    const names = ["a.b", "a b", "a/b", "a:b", `${long}1`, `${long}2`];
    expect(new Set(names.map(portableName)).size).toBe(names.length);
  });

  it("spreads: 20,000 similar names give 20,000 aliases", () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `tool.${index}`);
    expect(new Set(names.map(portableName)).size).toBeGreaterThan(19_990);
  });

  it("is always portable, and the same each time", () => {
    fc.assert(
      fc.property(anyName, (name) => {
        expect(portableName(name)).toMatch(PORTABLE);
        expect(portableName(name)).toBe(portableName(name));
      }),
    );
  });
});

describe("aliasNames", () => {
  it("RTE-04 leads every portable name to its tool, whatever the order", () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyName, { maxLength: 20 }), fc.infiniteStream(fc.nat()), (names, random) => {
        const byAlias = aliasNames(names);
        expect([...byAlias.values()].sort()).toEqual([...names].sort());
        for (const alias of byAlias.keys()) expect(alias).toMatch(PORTABLE);
        const shuffled = [...names].sort(() => (random.next().value ?? 0) - 1_000_000_000);
        expect(new Map([...aliasNames(shuffled)].sort())).toEqual(new Map([...byAlias].sort()));
      }),
    );
  });

  it("RTE-04 gives no alias that is another tool's own name, and keeps that tool's name", () => {
    const strange = "read.file";
    const real = portableName(strange);
    for (const names of [
      [strange, real],
      [real, strange],
    ]) {
      const byAlias = aliasNames(names);
      expect(byAlias.get(real)).toBe(real);
      const [alias] = [...byAlias].find(([, name]) => name === strange) ?? [];
      expect(alias).toMatch(/^read_file_[0-9a-f]{8}$/);
      expect(alias).not.toBe(real);
    }
  });

  it("keeps two names apart whose aliases meet", () => {
    const [one, other] = meetingNames();
    expect(portableName(one)).toBe(portableName(other));
    const byAlias = aliasNames([other, one]);
    expect(byAlias.size).toBe(2);
    expect(new Set(byAlias.values())).toEqual(new Set([one, other]));
    expect([...aliasNames([one, other])].sort()).toEqual([...byAlias].sort());
  });

  it("takes a name that is there twice for one", () => {
    expect(aliasNames(["a.b", "a.b", "c", "c"]).size).toBe(2);
  });

  it("names for each tool the alias it needs, and none for the others", () => {
    expect(aliasesByName(["plain", "a.b"])).toEqual(new Map([["a.b", portableName("a.b")]]));
  });
});

/** Two names with the same alias, found by trying. */
function meetingNames(): [string, string] {
  const seen = new Map<string, string>();
  for (let index = 0; index < 1_000_000; index += 1) {
    const name = `${"x".repeat(60)}${index.toString(36)}`.padEnd(66, ".");
    const alias = portableName(name);
    const before = seen.get(alias);
    if (before !== undefined) return [before, name];
    seen.set(alias, name);
  }
  throw new Error("no two names meet");
}

describe("catalogToolName", () => {
  it("RTE-01 puts the server's name before the tool's, joined by two underscores", () => {
    expect(catalogToolName("files", "read_file")).toBe("files__read_file");
    expect(catalogToolName("files", "a__b.c-d")).toBe("files__a__b.c-d");
  });

  it.each([
    ["read file", /^files__read_file_[0-9a-f]{8}$/],
    ["", /^files___[0-9a-f]{8}$/],
    ["t".repeat(200), /^files__t{112}_[0-9a-f]{8}$/],
  ])("RTE-01 gives %j a name that is allowed and keeps the prefix", (tool, expected) => {
    const name = catalogToolName("files", tool);
    expect(name).toMatch(expected);
    expect(name).toMatch(TOOL_NAME_PATTERN);
  });

  it("RTE-04 keeps servers and tools apart, and the first separator splits", () => {
    const server = fc
      .stringMatching(/^[A-Za-z0-9_-]{0,63}[A-Za-z0-9-]$/)
      .filter((name) => SERVER_NAME_PATTERN.test(name));
    fc.assert(
      fc.property(server, anyName, (name, tool) => {
        const whole = catalogToolName(name, tool);
        expect(whole).toMatch(TOOL_NAME_PATTERN);
        expect(whole.slice(0, whole.indexOf("__"))).toBe(name);
        expect(catalogToolName(name, tool)).toBe(whole);
        expect(catalogToolName(`${name}x`, tool)).not.toBe(whole);
      }),
    );
  });
});
