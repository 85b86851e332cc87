import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareForReaders, compareOwners } from "./compare-for-readers";

describe("names in lists for users", () => {
  it("are in the order of their numbers, whatever their case", () => {
    const names = ["many10", "Many3", "many2", "many1", "a", "B", "many02"];
    expect(names.toSorted(compareForReaders)).toEqual(["a", "B", "many1", "many02", "many2", "Many3", "many10"]);
  });

  it("have one order, however they arrive", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: "grapheme", maxLength: 8 })), fc.integer(), (names, turn) => {
        const sorted = names.toSorted(compareForReaders);
        const by = names.length === 0 ? 0 : Math.abs(turn) % names.length;
        const turned = names.slice(by).concat(names.slice(0, by)).reverse();
        expect(turned.toSorted(compareForReaders)).toEqual(sorted);
      }),
    );
  });

  it("stand below their owners: the team's own first, then server by server", () => {
    const owners = ["many10", null, "many2", null, "files"];
    expect(owners.toSorted(compareOwners)).toEqual([null, null, "files", "many2", "many10"]);
  });
});
