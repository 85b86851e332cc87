import { describe, expect, it } from "vitest";
import { type ServerSettingsInput, serverSettingsSchema } from "../contract/server";
import { findServerKind, SERVER_KINDS, SERVER_TRANSPORTS } from "../contract/server-kind";
import { getAuth, mapFields, pickFields, readFields } from "./setting-fields";

const api = serverSettingsSchema.parse({
  name: "pets",
  transport: "openapi",
  url: "https://api.example.com",
  document: { from: "file", path: "a.yaml" },
  headers: [{ name: "X-Key", value: "one" }],
  query: [{ name: "key", value: "two" }],
});

describe("the table of server kinds", () => {
  it("has a row for each transport of the schema, and in it a type for each field that not every kind has", () => {
    const shapes = serverSettingsSchema.options.map(({ shape }) => shape);
    expect(shapes.map(({ transport }) => transport.value)).toEqual(SERVER_TRANSPORTS);
    const [first = {}, ...others] = shapes;
    const common = Object.keys(first).filter((field) => others.every((shape) => field in shape));
    for (const shape of shapes) {
      const own = Object.keys(shape).filter((field) => !common.includes(field));
      expect(Object.keys(SERVER_KINDS[shape.transport.value].fields).sort()).toEqual(own.sort());
    }
  });

  it("knows no kind by a name that every object has", () => {
    expect(findServerKind("stdio")?.label).toBe("stdio");
    expect(findServerKind("toString")).toBeUndefined();
  });
});

describe("the fields of settings by their type", () => {
  it("are edited and read by the type that the kind's row gives them", () => {
    const masked = mapFields(api, { values: (rows) => rows.map(({ name }) => ({ name, value: null })) });
    expect(masked).toEqual({
      ...api,
      headers: [{ name: "X-Key", value: null }],
      query: [{ name: "key", value: null }],
    });
    expect(readFields(api, { values: (rows, list) => rows.map(({ value }) => [list, value]) })).toEqual([
      ["headers", "one"],
      ["query", "two"],
    ]);
  });

  it("are those of the kind alone, in the table's order, without absent ones", () => {
    expect(Object.keys(pickFields(api, {}))).toEqual(["url", "headers", "query", "auth", "document"]);
  });

  it("are skipped where unfinished settings lack them", () => {
    const entered: ServerSettingsInput = { name: "files", transport: "stdio", command: "node" };
    expect(readFields(entered, { values: () => ["row"], command: (text) => [text] })).toEqual(["node"]);
    expect(getAuth(serverSettingsSchema.parse(entered))).toEqual({ type: "none" });
  });
});
