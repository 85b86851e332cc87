import { describe, expect, it } from "vitest";
import { type JsonNode, parseJsonNode } from "@/lib/json-diff/json-node";
import { listVisibleRows, type TreeRow } from "./tree-rows";
import { initialTreeState, type TreeState, treeReducer } from "./tree-state";

function parsed(value: unknown): JsonNode {
  const node = parseJsonNode(JSON.stringify(value));
  if (!node) throw new Error("not JSON");
  return node;
}

function listRows(state: TreeState): TreeRow[] {
  return listVisibleRows(state.root, state);
}

function press(state: TreeState, ...keys: string[]): TreeState {
  return keys.reduce((before, key) => treeReducer(before, { type: "key", key }), state);
}

function activePath(state: TreeState): string {
  const row = listRows(state).find((each) => each.id === state.activeId);
  return row?.type === "value" ? row.path : String(row?.type);
}

describe("the tree of a JSON value", () => {
  const small = parsed({ items: [{ price: 1 }, { price: 2 }], "odd key": null, __proto__x: 1 });

  it("opens a small value and gives each row its path", () => {
    const paths = listRows(initialTreeState(small)).map((row) => (row.type === "value" ? row.path : row.type));
    expect(paths).toEqual([
      "$",
      "$.items",
      "$.items[0]",
      "$.items[0].price",
      "$.items[1]",
      "$.items[1].price",
      '$["odd key"]',
      "$.__proto__x",
    ]);
  });

  it("moves with the arrow keys, Home and End, and stops at the ends", () => {
    const state = initialTreeState(small);
    expect(activePath(press(state, "ArrowUp"))).toBe("$");
    expect(activePath(press(state, "ArrowDown", "ArrowDown"))).toBe("$.items[0]");
    expect(activePath(press(state, "End"))).toBe("$.__proto__x");
    expect(activePath(press(state, "End", "ArrowDown"))).toBe("$.__proto__x");
    expect(activePath(press(state, "End", "Home"))).toBe("$");
  });

  it("closes and climbs with the left arrow, opens and descends with the right one", () => {
    const atPrice = press(initialTreeState(small), "ArrowDown", "ArrowDown", "ArrowDown");
    expect(activePath(press(atPrice, "ArrowLeft"))).toBe("$.items[0]");
    const closed = press(atPrice, "ArrowLeft", "ArrowLeft");
    expect(listRows(closed)).toHaveLength(7);
    expect(listRows(press(closed, "ArrowRight"))).toHaveLength(8);
    expect(activePath(press(closed, "ArrowRight", "ArrowRight"))).toBe("$.items[0].price");
  });

  it("shows a large container in steps, and the row that asks for more gives its place to the first of them", () => {
    let state = initialTreeState(parsed(Array.from({ length: 250 }, (_, index) => index)));
    expect(listRows(state)).toHaveLength(102);
    state = press(state, "End", "Enter");
    expect(listRows(state)).toHaveLength(202);
    expect(activePath(state)).toBe("$[100]");
    state = press(state, "End", "Enter");
    expect(listRows(state)).toHaveLength(251);
  });

  it("renders only what is opened of a value with more than 2,000 parts", () => {
    const large = parsed(Array.from({ length: 50 }, () => Array.from({ length: 100 }, () => 1)));
    const state = initialTreeState(large);
    expect(listRows(state)).toHaveLength(51);
    expect(listRows(press(state, "ArrowDown", "ArrowRight"))).toHaveLength(151);
    expect(listRows(treeReducer(state, { type: "expand_all" })).length).toBeLessThanOrEqual(2_101);
  });

  it("starts again with another value", () => {
    const moved = press(initialTreeState(small), "End");
    expect(activePath(treeReducer(moved, { type: "root", root: parsed([1]) }))).toBe("$");
  });
});
