import { describe, expect, it } from "vitest";
import { describeApi } from "./openapi";
import { ROUTES } from "./routes";

type Node = Record<string, unknown>;

const document = JSON.parse(JSON.stringify(describeApi(ROUTES, "1"))) as Node;

function* listNodes(value: unknown): Generator<Node> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as Node;
  for (const each of Object.values(value)) yield* listNodes(each);
}

const nodes = [...listNodes(document)];
const findParameter = (name: string) => nodes.find((node) => node.in === "query" && node.name === name);

describe("the document of the REST API", () => {
  it("describes a parameter in the words of its contract, with the type of its value", () => {
    expect(findParameter("limit")).toMatchObject({
      description: "Entries of a page: 1 to 200, default 50",
      schema: { type: "integer", minimum: 1, maximum: 200 },
    });
    expect(findParameter("pinned")).toMatchObject({ schema: { type: "boolean" } });
    expect(findParameter("waitMs")).toMatchObject({ schema: { type: "integer", minimum: 0, maximum: 60_000 } });
  });

  it("names what generators cannot read in words alone: objects as defaults, and any JSON value", () => {
    const defaults = nodes.map(({ default: value }) => value).filter((value) => typeof value === "object");
    expect(defaults.filter((value) => value !== null && !Array.isArray(value))).toEqual([]);
    const { schemas } = document.components as { schemas: Node };
    const targets = nodes.map(({ $ref }) => $ref).filter((target) => typeof target === "string");
    const known = Object.keys(schemas).map((name) => `#/components/schemas/${name}`);
    const schemaTargets = targets.filter((target) => target.startsWith("#/components/schemas/"));
    expect([...new Set(schemaTargets)].filter((target) => !known.includes(target))).toEqual([]);
    expect(known.filter((name) => name.includes("__"))).toEqual([]);
  });

  it("has both formats of an export", () => {
    const exported = (document.paths as Record<string, { get: { responses: Record<string, { content: Node }> } }>)[
      "/executions/export"
    ];
    expect(Object.keys(exported?.get.responses["200"]?.content ?? {})).toEqual(["application/jsonl", "text/csv"]);
  });
});
