import { describe, expect, it } from "vitest";
import { expandTemplate, templateVariables } from "./uri-template";

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
