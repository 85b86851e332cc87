import { describe, expect, it } from "vitest";
import { arrayIndex, childPointer, isWithin, parentPointer, parsePointer, pointerToPath } from "./json-pointer";

describe("JSON pointers", () => {
  it("escapes and reads tokens back, slashes, tildes and empty keys included", () => {
    const tokens = ["a/b", "~1", "m~n", "", "__proto__", "0"];
    expect(parsePointer(tokens.reduce(childPointer, ""))).toEqual(tokens);
    expect(childPointer("/x", "a/b")).toBe("/x/a~1b");
  });

  it("tells the root from the empty key", () => {
    expect(parsePointer("")).toEqual([]);
    expect(parsePointer("/")).toEqual([""]);
    expect(parentPointer("/")).toBe("");
    expect(parentPointer("")).toBeNull();
  });

  it("takes only canonical array indexes", () => {
    expect([arrayIndex("0"), arrayIndex("12"), arrayIndex("01"), arrayIndex("-"), arrayIndex("1e3")]).toEqual([
      0,
      12,
      null,
      null,
      null,
    ]);
  });

  it("knows what lies beneath a place, not what only begins alike", () => {
    expect(isWithin("/items/1/a", "/items/1")).toBe(true);
    expect(isWithin("/items/10", "/items/1")).toBe(false);
    expect(isWithin("/anything", "")).toBe(true);
  });

  it("VAL-05 writes places as users read them", () => {
    expect(pointerToPath("/items/2/price")).toBe("items[2].price");
    expect(pointerToPath("")).toBe("");
    expect(pointerToPath("/user/first name")).toBe('user["first name"]');
    expect(pointerToPath("/a.b/c")).toBe("a.b.c");
    expect(pointerToPath("/0")).toBe("0");
    expect(pointerToPath("/x/")).toBe('x[""]');
  });
});
