import { describe, expect, it } from "vitest";
import { expandTemplate, matchesTemplate, templateVariables } from "./uri-template";

const expand = (template: string, values: Record<string, string>) =>
  expandTemplate(template, new Map(Object.entries(values)));

describe("a resource's URI template", () => {
  it("names its variables once each, whatever their operators", () => {
    expect(templateVariables("db://{schema}/{table}{?limit,schema}{#part*}")).toEqual([
      "schema",
      "table",
      "limit",
      "part",
    ]);
    expect(templateVariables("file:///plain")).toEqual([]);
  });

  it("escapes values, and leaves reserved characters where the template allows them", () => {
    expect(expand("files:///{path}", { path: "a b/c" })).toBe("files:///a%20b%2Fc");
    expect(expand("files:///{+path}", { path: "a b/c" })).toBe("files:///a%20b/c");
  });

  it("writes out each operator as RFC 6570 does", () => {
    const values = { x: "1", y: "two" };
    expect(expand("u{x,y}", values)).toBe("u1,two");
    expect(expand("u{/x,y}", values)).toBe("u/1/two");
    expect(expand("u{.x}", values)).toBe("u.1");
    expect(expand("u{;x,y}", values)).toBe("u;x=1;y=two");
    expect(expand("u{?x,y}{&x}", values)).toBe("u?x=1&y=two&x=1");
    expect(expand("u{#x}", values)).toBe("u#1");
  });

  it("leaves out what has no value", () => {
    expect(expand("u{/x}{?y}", { y: "2" })).toBe("u?y=2");
  });

  it("takes names of inherited properties for the unknown variables that they are", () => {
    expect(expand("u{/constructor}{toString}", {})).toBe("u");
  });
});

it.each([
  ["demo://item/{id}", "demo://item/7", true],
  ["demo://item/{id}", "demo://item/7/8", false],
  ["demo://item/{+path}", "demo://item/7/8", true],
  ["demo://{a}/x/{b}", "demo://1/x/2", true],
  ["demo://{a}/x/{b}", "demo://1/y/2", false],
  ["demo://search{?q,page}", "demo://search?q=a/b&page=2", true],
  ["demo://{id}.json", "demo://7.json", true],
  ["demo://{id}.json", "demo://7.xml", false],
  ["demo://plain", "demo://plain", true],
  ["demo://plain", "demo://plain2", false],
])("%s matches %s: %s", (template, uri, expected) => {
  expect(matchesTemplate(template, uri)).toBe(expected);
});

it("decides about a hostile template and a long URI at once", () => {
  const before = process.cpuUsage();
  expect(matchesTemplate(`x://${"{a}".repeat(50)}!`, `x://${"a".repeat(8000)}`)).toBe(false);
  expect(matchesTemplate(`x://${"{a}".repeat(5000)}`, `x://${"a".repeat(8000)}`)).toBe(false);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(500);
});
