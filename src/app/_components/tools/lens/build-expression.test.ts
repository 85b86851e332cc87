import { search as searchJson } from "@jmespath-community/jmespath";
import { describe, expect, it } from "vitest";
import { buildExpression, readShape } from "./build-expression";

const search = (data: unknown, expression: string): unknown => searchJson(data as never, expression);

const DATA = {
  total: 2,
  page: {
    items: [
      { id: 7, "odd key": "x", user: { login: "ada" } },
      { id: 8, note: null },
    ],
  },
};

describe("a lens built from a result", () => {
  it("picks fields of the items of its longest list, nested and oddly named ones too", () => {
    const shape = readShape(DATA);
    expect(shape).toEqual({ list: "page.items", fields: ["id", '"odd key"', "user.login", "note"] });
    const lens = buildExpression(shape, ["id", '"odd key"', "user.login"], 1);
    expect(search(DATA, lens)).toEqual([{ id: 7, "odd key": "x", user_login: "ada" }]);
    expect(search(DATA, buildExpression(shape, [], 1))).toEqual([DATA.page.items[0]]);
    expect(search(DATA.page.items, buildExpression(readShape(DATA.page.items), ["id"], null))).toEqual([
      { id: 7 },
      { id: 8 },
    ]);
  });

  it("picks fields of data without a list", () => {
    const shape = readShape({ name: "a", size: 3 });
    expect(shape).toEqual({ list: null, fields: ["name", "size"] });
    expect(search({ name: "a", size: 3 }, buildExpression(shape, ["size"], null))).toEqual({ size: 3 });
  });
});
