import { describe, expect, it } from "vitest";
import type { ToolSummary } from "../../../lib/contract/catalog-tool";
import { heldStatusSchema } from "../../../lib/contract/held-change";
import { listMarks, TOOL_MARKS } from "../../../lib/contract/tool-facts";
import type { ToolFilter } from "../../../lib/contract/tool-list";
import { filterTools, listFacets } from "./filter-tools";

const tool = (name: string, part: Partial<ToolSummary> = {}): ToolSummary => ({
  name,
  title: null,
  description: "Looks something up",
  implementationType: "mock",
  handler: null,
  server: null,
  origin: "config",
  originPath: null,
  enabled: true,
  tags: [],
  annotations: {},
  parameterCount: 0,
  requiredCount: 0,
  quality: [],
  updatedAt: null,
  approval: { required: false, because: "policy", mode: null },
  deprecation: null,
  owner: null,
  held: null,
  ...part,
});
const VIEWER = { favorites: new Set(["calc"]), me: "ada" };
const tools = [
  tool("get_weather", { tags: ["sample", "geo"], description: "Weather of a city" }),
  tool("calc", { implementationType: "builtin", handler: "math_eval", origin: "code" }),
  tool("broken", {
    origin: "console",
    enabled: false,
    quality: [{ code: "handler_missing", severity: "warning", message: "gone" }],
  }),
  tool("files__read_file", { implementationType: "mcp", origin: "server", server: "files", tags: ["sample"] }),
  tool("terse", { quality: [{ code: "description_short", severity: "info", message: "short" }] }),
];
const names = (filter: ToolFilter) => filterTools(tools, filter, VIEWER).map(({ name }) => name);

describe("filterTools", () => {
  it("show everything when nothing is asked for", () => {
    expect(names({})).toHaveLength(tools.length);
  });

  it("search every word in name, description, handler and tags", () => {
    expect(names({ q: "city GEO" })).toEqual(["get_weather"]);
    expect(names({ q: "math" })).toEqual(["calc"]);
    expect(names({ q: "city math" })).toEqual([]);
  });

  it("narrow by type, origin, tag and state together", () => {
    expect(names({ type: "builtin" })).toEqual(["calc"]);
    expect(names({ origin: "console", state: "disabled" })).toEqual(["broken"]);
    expect(names({ tag: "sample", state: "disabled" })).toEqual([]);
    expect(names({ origin: "server" })).toEqual(["files__read_file"]);
  });

  it("RTE-04 narrow to the tools of one server, and to none where no server has that name", () => {
    expect(names({ server: "files" })).toEqual(["files__read_file"]);
    expect(names({ server: "file" })).toEqual([]);
  });

  it("narrow to the tools that require approval, and to those that do not", () => {
    const asking = [tool("rm", { approval: { required: true, because: "hint", mode: null } }), tool("ls")];
    const found = (filter: ToolFilter) => filterTools(asking, filter, VIEWER).map(({ name }) => name);
    expect([found({ approval: "asks" }), found({ approval: "free" }), found({})]).toEqual([
      ["rm"],
      ["ls"],
      ["rm", "ls"],
    ]);
  });

  it("count warnings as problems and remarks not", () => {
    expect(names({ problems: true })).toEqual(["broken"]);
  });

  it("narrow to each state that marks a tool: disabled, changed by its server, deprecated", () => {
    const deprecation = { successor: null, note: null };
    const marked = [tool("off", { enabled: false }), tool("new", { held: "open" }), tool("old", { deprecation })];
    const found = (state: NonNullable<ToolFilter["state"]>) =>
      filterTools(marked, { state }, VIEWER).map(({ name }) => name);
    expect([found("disabled"), found("held"), found("deprecated")]).toEqual([["off"], ["new"], ["old"]]);
    expect(found("enabled")).toEqual(["new", "old"]);
  });

  it("select for each state the tools that show its mark, whatever other marks they have", () => {
    const deprecations = [null, { successor: null, note: null }, { successor: "ls", note: "Until March" }];
    const marked = [true, false].flatMap((enabled) =>
      [null, ...heldStatusSchema.options].flatMap((held) =>
        deprecations.map((deprecation, at) => tool(`${enabled} ${held} ${at}`, { enabled, held, deprecation })),
      ),
    );
    for (const state of TOOL_MARKS) {
      const shown = marked.filter((each) => listMarks(each).some((mark) => mark.name === state));
      expect(shown.length).toBeGreaterThan(0);
      expect(filterTools(marked, { state }, VIEWER), state).toEqual(shown);
    }
    expect(filterTools(marked, { state: "enabled" }, VIEWER)).toEqual(marked.filter(({ enabled }) => enabled));
  });

  it("narrow to favorites, to the user's own tools, and to deprecated ones", () => {
    expect(names({ favorites: true })).toEqual(["calc"]);
    const deprecation = { successor: "ls", note: null };
    const owned = [tool("rm", { owner: { id: "ada", name: "Ada" }, deprecation }), tool("ls")];
    const found = (filter: ToolFilter) => filterTools(owned, filter, VIEWER).map(({ name }) => name);
    expect([found({ mine: true }), found({ state: "deprecated" }), found({ state: "enabled" })]).toEqual([
      ["rm"],
      ["rm"],
      ["rm", "ls"],
    ]);
  });

  it("narrow to names, and to the tools that models may be offered", () => {
    expect(names({ names: ["calc", "gone"] })).toEqual(["calc"]);
    const hidden = [tool("off", { enabled: false }), tool("app", { appOnly: true }), tool("on")];
    expect(filterTools(hidden, { offered: true }, VIEWER).map(({ name }) => name)).toEqual(["on"]);
  });

  it("offer what occurs", () => {
    expect(listFacets(tools)).toEqual({
      types: ["builtin", "mcp", "mock"],
      servers: ["files"],
      tags: ["geo", "sample"],
    });
  });
});
