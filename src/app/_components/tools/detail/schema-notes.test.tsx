// @vitest-environment happy-dom
import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { ServerToolRow } from "@/app/_components/servers/detail/server-tool-row";
import { toolDetail } from "@/app/_components/tools/summary/tool.test-support";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { SchemaNote } from "@/lib/contract/schema-note";
import { DefinitionTab } from "./definition-tab";
import { RunTab } from "./run-tab";

const note: SchemaNote = {
  pointer: "/properties/s/pattern",
  keyword: "pattern",
  message: "`pattern` of `s` is not checked: Python syntax",
};
const shown = "pattern of s is not checked: Python syntax";
const tool = toolDetail({ schemaNotes: [note] });

describe("what of a tool's schema is not checked", () => {
  it("VAL-05 is shown in the Definition tab", () => {
    fakeApi({}).render(<DefinitionTab tool={tool} />);
    expect(within(screen.getByRole("list", { name: "Schema notes" })).getByRole("listitem").textContent).toBe(shown);
  });

  it("VAL-05 is shown beside the arguments where the tool is run", () => {
    const api = fakeApi({
      "tools.validateArguments": () => ({ valid: true, faults: [] }),
      "executions.list": () => ({ items: [], nextCursor: null }),
    });
    api.render(<RunTab tool={tool} from={null} />);
    expect(within(screen.getByRole("list", { name: "Schema notes" })).getByRole("listitem").textContent).toBe(shown);
  });

  it("VAL-05 is shown in the list of the server's tools, the first few and how many more", () => {
    const notes = Array.from({ length: 8 }, (_, at) => ({ ...note, pointer: `/${at}`, message: `note ${at}` }));
    const listed = {
      name: "read",
      catalogName: "files__read",
      title: null,
      description: "",
      status: "usable" as const,
      held: null,
      reason: null,
      annotations: {},
      approval: null,
      position: 0,
      notes,
    };
    fakeApi({}).render(<ServerToolRow onRun={() => undefined} tool={listed} server="files" />);
    const region = screen.getByRole("list", { name: "Schema notes" });
    expect(within(region).getByText("note 0")).toBeDefined();
    expect(within(region).queryByText("note 7")).toBeNull();
    expect(within(region).getByText("3 more")).toBeDefined();
  });

  it("sets the parts in backticks as code", () => {
    fakeApi({}).render(<DefinitionTab tool={tool} />);
    const codes = screen.getByRole("list", { name: "Schema notes" }).querySelectorAll("code");
    expect(Array.from(codes, (code) => code.textContent)).toEqual(["pattern", "s"]);
  });

  it("takes no room where everything is checked", () => {
    fakeApi({}).render(<DefinitionTab tool={{ ...tool, schemaNotes: [] }} />);
    expect(screen.queryByRole("list", { name: "Schema notes" })).toBeNull();
  });
});
