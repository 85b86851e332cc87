import { describe, expect, it } from "vitest";
import { BoundedCache } from "./bounded-cache";

describe("compiled schemas that are kept", () => {
  it("are bounded by their number, the least recently used goes first", () => {
    const cache = new BoundedCache<string>({ maxEntries: 2, maxSize: 1000 });
    cache.set("a", "A", 1);
    cache.set("b", "B", 1);
    expect(cache.get("a")).toBe("A");
    cache.set("c", "C", 1);
    expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual(["A", undefined, "C"]);
  });

  it("are bounded by the bytes of their schemas, whatever their number", () => {
    const cache = new BoundedCache<string>({ maxEntries: 1000, maxSize: 1000 });
    for (let index = 0; index < 10; index += 1) cache.set(`schema-${index}`, "compiled", 300);
    expect({ count: cache.count, size: cache.size }).toEqual({ count: 3, size: 900 });
    cache.set("schema-9", "compiled again", 500);
    expect({ count: cache.count, size: cache.size }).toEqual({ count: 2, size: 800 });
    cache.set("large", "alone", 5000);
    expect({ count: cache.count, kept: cache.get("large") }).toEqual({ count: 1, kept: "alone" });
  });
});
