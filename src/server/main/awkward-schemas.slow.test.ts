import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { TOOL_FORMATS } from "../../lib/contract/tool-definition";
import { describeField } from "../../lib/schema/describe/describe-field";
import { type Container, createContainer } from "./container";
import { readEnv } from "./env";

const ADA = { ...LOCAL_PRINCIPAL, id: "ada", name: "Ada" };
let container: Container;

beforeAll(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-awkward-"));
  const config = path.join(folder, "toolroom.json");
  const script = path.resolve("e2e/support/mcp-servers/awkward-schemas.mjs");
  await writeFile(config, JSON.stringify({ mcpServers: { awkward: { command: process.execPath, args: [script] } } }));
  container = await createContainer(
    readEnv({
      DATABASE_URL: `file:${path.join(folder, "test.db")}`,
      TOOLROOM_LOG_LEVEL: "silent",
      TOOLROOM_CONFIG: config,
      TOOLROOM_SHUTDOWN_GRACE_MS: "50",
    }),
  );
  // The first call waits for the server.
  await run("recursive", {});
});
afterAll(() => container.close());

const run = (tool: string, args: unknown) =>
  container.services.executions.run(ADA, { tool: `awkward__${tool}`, argumentsText: JSON.stringify(args) });

describe("a server whose schemas cannot be checked whole", () => {
  it("VAL-05 every tool that other clients can call is in the catalog and can be called", async () => {
    const tools = container.services.servers.tools("awkward", "", 0).items;
    expect(tools.filter(({ status }) => status !== "usable").map(({ name }) => name)).toEqual(["too_deep"]);
    for (const { name } of tools.filter(({ status }) => status === "usable")) {
      expect(await run(name ?? "", { e: 1, s: "xyz", r: 5, n: 4 }), name ?? "").toMatchObject({ status: "succeeded" });
    }
  });

  it("VAL-05 what can be checked of them is checked", async () => {
    const errors: [string, unknown, string][] = [
      ["recursive", { a: { a: { n: "x" } } }, "Invalid parameters: 'a.a.n' must be integer"],
      ["python_pattern", { s: 1 }, "Invalid parameters: 's' must be string"],
      ["draft_04", { n: 3 }, "Invalid parameters: 'n' must be > 3"],
      ["list_items", { l: [1] }, "Invalid parameters: 'l[0]' must be string"],
      ["no_type", { n: "x" }, "Invalid parameters: 'n' must be integer"],
      ["nullable_object", { n: "x" }, "Invalid parameters: 'n' must be integer"],
    ];
    for (const [tool, args, error] of errors) expect(await run(tool, args)).toMatchObject({ status: "failed", error });
  });

  it("VAL-05 what is not checked is said of the tool, in its details and in the server's list", () => {
    const listed = container.services.servers.tools("awkward", "", 0).items;
    const notes = Object.fromEntries(
      listed.map(({ name, notes: said }) => [name, said.map(({ pointer }) => pointer).join(" ")]),
    );
    expect(notes).toEqual({
      recursive: "",
      python_pattern: "/properties/s/pattern",
      draft_04: "/properties/n/required",
      empty_enum: "/properties/e/enum",
      null_properties: "/properties",
      own_dialect: "/$schema",
      remote_reference: "/properties/r/$ref",
      list_items: "",
      text_required: "/required",
      no_type: "/type",
      nullable_object: "/type",
      boolean_schema: "",
      text_schema: "",
      odd_parts:
        "/properties/a /properties/b /properties/c/type /properties/d/anyOf /properties/e/items /properties/f/properties",
      no_schema: "",
      as_task: "",
      too_deep: "",
    });
    const detail = container.services.tools.get("awkward__python_pattern");
    expect(detail.schemaNotes.map(({ message }) => message)).toEqual([
      "`pattern` of `s` is not checked: Python syntax",
      expect.stringMatching(/^`properties\/s\/pattern` .* left out in the lists/),
      expect.stringMatching(/^`type` of `outputSchema` .* left out in the lists/),
    ]);
    expect(detail.quality).toContainEqual(expect.objectContaining({ code: "schema_not_checked", severity: "info" }));
    expect(container.services.tools.get("awkward__no_schema").schemaNotes).toMatchObject([{ keyword: "inputSchema" }]);
  });

  it("FMT-01 its tools can be shown, filled in and sent to every provider", async () => {
    for (const { name, definition } of container.services.tools.list().items.map((item) => ({
      name: item.name,
      definition: container.services.tools.get(item.name).definition,
    }))) {
      expect(() => describeField(definition.parameters, definition.parameters), name).not.toThrow();
      expect(await container.services.tools.providerFormats(name), name).toHaveLength(TOOL_FORMATS.length);
    }
  });

  it("RTE-02 a tool that is listed but cannot be called is refused with what is wrong with it, everywhere", async () => {
    const refused = /^Tool 'awkward__too_deep' cannot be called: The entry is nested deeper than 200 levels/;
    expect((await run("too_deep", {})).error).toMatch(refused);
    expect((await run("unknown", {})).error).toBe(
      "Tool 'awkward__unknown' not found: the server 'awkward' has no such tool",
    );
  });
});
