// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { Suspense } from "react";
import { describe, expect, it } from "vitest";
import { type FakeApi, type FakeProcedures, fakeApi, refusal } from "@/app/_kit/fake-api.test-support";
import type { ToolSummary } from "@/lib/contract/catalog-tool";
import type { ToolsetPreview } from "@/lib/contract/toolset";
import { EditToolsetView, NewToolsetView } from "./form/edit-toolset-view";
import { ToolsetsView } from "./list/toolsets-view";

const SAVED = {
  name: "mail",
  title: "Mail",
  description: "",
  discovery: false,
  askReason: false,
  tools: ["send_mail"],
  patterns: [],
  servers: [],
  contents: [],
  pinned: [],
  createdAt: 1,
  updatedAt: 2,
  overrides: [{ tool: "send_mail", arguments: [{ name: "copies", mode: "fixed", value: 2 }] }],
};
const PREVIEW: ToolsetPreview = {
  tools: [
    {
      name: "send_mail",
      tool: "send_mail",
      title: null,
      description: "Sends",
      server: null,
      arguments: ["to"],
      originalArguments: ["to", "copies"],
      tokens: 30,
      pinned: null,
      leftOut: false,
    },
  ],
  served: [{ name: "send_mail", description: "Sends", arguments: ["to"], tokens: 30, entryText: "{}" }],
  problems: [],
  cost: [{ format: "mcp", tokens: 120, allTokens: 120 }],
};

const listed = (name: string, server: string | null): Partial<ToolSummary> => ({
  name,
  server,
  title: null,
  description: "Sends",
  enabled: true,
  deprecation: null,
  approval: { required: false } as ToolSummary["approval"],
});
const toolRow = () => within(screen.getByRole("list", { name: "Tools of the set" }));

function api(more: FakeProcedures = {}, role: "admin" | "viewer" = "admin"): FakeApi {
  const procedures = {
    "toolsets.get": () => SAVED,
    "toolsets.preview": () => PREVIEW,
    "tools.list": () => ({
      items: [listed("send_mail", null), listed("files__read", "files")],
      nextCursor: null,
      matching: 2,
    }),
    "tools.names": () => [
      { name: "send_mail", server: null },
      { name: "files__read", server: "files" },
    ],
    "tools.favorites": () => [],
    "servers.names": () => [],
    ...more,
  };
  return fakeApi(procedures, "", "live", role);
}
const renderIn = (fake: FakeApi, element: React.ReactNode) =>
  fake.render(<Suspense fallback="Loading">{element}</Suspense>);
const sent = (fake: FakeApi, path: string) => fake.calls.filter((call) => call.path === path).map(({ input }) => input);
const submit = () => fireEvent.submit(screen.getByRole("form"));

describe("the list of toolsets", () => {
  it("shows each with its tools now, and leads to its page", async () => {
    const summary = { ...SAVED, toolCount: 3, discovery: true };
    renderIn(api({ "toolsets.list": () => [summary] }), <ToolsetsView />);
    const link = await screen.findByRole("link", { name: "mail" });
    expect(link.getAttribute("href")).toBe("/toolsets/mail");
    const row = within(link.closest("tr") as HTMLElement);
    expect(row.getByText("discovery")).toBeDefined();
    expect(row.getByText("3 tools")).toBeDefined();
  });

  it("says what a toolset is where there is none, and who may make one", async () => {
    renderIn(api({ "toolsets.list": () => [] }, "viewer"), <ToolsetsView />);
    await screen.findByText("No toolsets yet");
    expect(screen.queryByRole("link", { name: "New toolset" })?.getAttribute("aria-disabled") ?? "true").toBe("true");
  });
});

describe("the editor of a toolset", () => {
  it("names the fields that are wrong and focuses the first, keeps what was typed, and sends nothing that it cannot read", async () => {
    const fake = api({ "toolsets.create": () => SAVED });
    renderIn(fake, <NewToolsetView />);
    fireEvent.change(await screen.findByRole("textbox", { name: /^Title/ }), { target: { value: "For mail" } });
    submit();
    const name = screen.getByRole("textbox", { name: /^Name/ });
    await waitFor(() => expect(name.getAttribute("aria-invalid")).toBe("true"));
    await waitFor(() => expect(document.activeElement).toBe(name));
    expect(sent(fake, "toolsets.create")).toEqual([]);
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: /^Title/ }).value).toBe("For mail");
    fireEvent.change(name, { target: { value: " mail " } });
    submit();
    await waitFor(() => expect(fake.visited).toEqual(["/toolsets/mail"]));
    expect(sent(fake, "toolsets.create")).toMatchObject([{ name: "mail", title: "For mail" }]);
  });

  it("takes a group of the catalog at once, and a tool out of it again, in rows that keep their order", async () => {
    const fake = api({ "toolsets.create": () => SAVED });
    renderIn(fake, <NewToolsetView />);
    const catalog = within(await screen.findByRole("region", { name: "Catalog" }));
    fireEvent.click(await catalog.findByRole("checkbox", { name: "files" }));
    fireEvent.click(catalog.getByRole("checkbox", { name: "send_mail" }));
    const names = () =>
      toolRow()
        .getAllByRole("textbox", { name: /^Name of/ })
        .map((field) => field.ariaLabel ?? field.getAttribute("aria-label"));
    expect(names()).toEqual(["Name of send_mail", "Name of files__read"]);
    fireEvent.change(screen.getByRole("textbox", { name: "Name of send_mail" }), { target: { value: "zzz" } });
    expect(names()).toEqual(["Name of send_mail", "Name of files__read"]);
    fireEvent.change(screen.getByRole("textbox", { name: /^Name( required)?$/ }), { target: { value: "mail" } });
    submit();
    await waitFor(() => expect(sent(fake, "toolsets.create")).toHaveLength(1));
    expect(sent(fake, "toolsets.create")).toMatchObject([
      { tools: ["send_mail"], servers: ["files"], overrides: [{ tool: "send_mail", name: "zzz" }] },
    ]);
    fireEvent.click(toolRow().getByRole("button", { name: "Remove send_mail" }));
    expect(names()).toEqual(["Name of files__read"]);
  });

  it("shows no problem before an attempt to save", async () => {
    renderIn(api(), <NewToolsetView />);
    await screen.findByText("Not ready to save");
    expect(screen.queryByRole("list", { name: "Problems" })).toBeNull();
    submit();
    await screen.findByRole("list", { name: "Problems" });
  });

  it("shows a refused value with tool and field, and keeps it in the form", async () => {
    const path = "overrides.send_mail.arguments.copies";
    const fake = api({
      "toolsets.update": () => {
        throw refusal({ path, message: "the value that the toolset sets must be at most 5" });
      },
    });
    renderIn(fake, <EditToolsetView name="mail" />);
    fireEvent.click(await screen.findByRole("button", { name: "1 of 2 arguments of send_mail" }));
    expect(screen.getByRole<HTMLInputElement>("checkbox", { name: "Show copies" }).checked).toBe(false);
    const value = screen.getByRole<HTMLInputElement>("textbox", { name: "Value of copies" });
    expect(value.value).toBe("2");
    fireEvent.change(value, { target: { value: "9" } });
    fireEvent.click(screen.getByRole("checkbox", { name: "Show to" }));
    fireEvent.click(screen.getByRole("button", { name: "Lens of send_mail" }));
    fireEvent.change(screen.getByRole("textbox", { name: "Lens" }), { target: { value: " id " } });
    submit();
    expect((await toolRow().findByText(/must be at most 5/)).textContent).toContain("arguments.copies");
    expect(sent(fake, "toolsets.update")).toMatchObject([
      {
        name: "mail",
        toolset: {
          overrides: [
            {
              lens: "id",
              arguments: [
                { name: "copies", mode: "fixed", value: 9 },
                { name: "to", mode: "hidden" },
              ],
            },
          ],
        },
      },
    ]);
  });

  it("shows a refused field of an override at its tool and its field, and that of a tool without a row above them", async () => {
    const fake = api({
      "toolsets.update": () => {
        throw refusal(
          { path: "toolset.overrides.send_mail.lens", message: "is no expression" },
          { path: "overrides.other.name", message: "is of another tool" },
        );
      },
    });
    renderIn(fake, <EditToolsetView name="mail" />);
    const lens = await screen.findByRole("button", { name: "Lens of send_mail" });
    submit();
    await toolRow().findByText("lens is no expression");
    expect(toolRow().queryByText(/another tool/)).toBeNull();
    screen.getByText("overrides.other.name is of another tool");
    await waitFor(() => expect(document.activeElement).toBe(lens));
    fireEvent.click(lens);
    const field = screen.getByRole("textbox", { name: "Lens" });
    expect(document.activeElement).toBe(field);
    expect(field.getAttribute("aria-invalid")).toBe("true");
    expect(toolRow().getByText("is no expression")).toBeDefined();
  });

  it("keeps the tools in sight while a draft is refused, and says at the tool's field why", async () => {
    const fake = api({
      "toolsets.preview": (input: unknown) => {
        const [override] = (input as { overrides: { name?: string }[] }).overrides;
        if (override?.name === undefined) return PREVIEW;
        throw refusal({ path: "overrides.send_mail.name", message: "must be a name" });
      },
    });
    renderIn(fake, <EditToolsetView name="mail" />);
    const name = await screen.findByRole("textbox", { name: "Name of send_mail" });
    fireEvent.change(name, { target: { value: "no name" } });
    await toolRow().findByText("must be a name");
    expect(name.getAttribute("aria-invalid")).toBe("true");
    const problems = screen.getByRole("list", { name: "Problems" });
    expect(within(problems).getByText("overrides.send_mail.name must be a name")).toBeDefined();
    fireEvent.change(name, { target: { value: "" } });
    await waitFor(() => expect(toolRow().queryByText("must be a name")).toBeNull());
  });

  it("previews what clients get of discovery: its two tools and the pinned ones, with their tokens", async () => {
    const discovery: ToolsetPreview = {
      ...PREVIEW,
      tools: PREVIEW.tools.map((tool) => ({ ...tool, pinned: false })),
      served: [{ name: "search_tools", description: "Finds", arguments: ["query"], tokens: 51, entryText: "{}" }],
    };
    renderIn(api({ "toolsets.preview": () => discovery }), <EditToolsetView name="mail" />);
    const preview = within(await screen.findByRole("list", { name: "Tools for clients" }));
    expect(preview.getByText("search_tools")).toBeDefined();
    expect(preview.getByText("51")).toBeDefined();
    expect(preview.queryByText("send_mail")).toBeNull();
  });

  it("lists what the catalog made wrong since the toolset was saved", async () => {
    const path = "overrides.send_mail.arguments.copies";
    const problems = [{ severity: "error" as const, tool: "send_mail", path, message: "must be a string" }];
    renderIn(api({ "toolsets.preview": () => ({ ...PREVIEW, problems }) }), <EditToolsetView name="mail" />);
    const shown = await screen.findByText(/must be a string/);
    expect(shown.textContent).toContain("send_mail.arguments.copies");
  });

  it("shows the first warnings above the costs, and all of them on request", async () => {
    const problems = Array.from({ length: 40 }, (_, index) => ({
      severity: "warning" as const,
      tool: "send_mail",
      path: `overrides.t${index}.description`,
      message: "is nearly that of 'send_mail'",
    }));
    renderIn(api({ "toolsets.preview": () => ({ ...PREVIEW, problems }) }), <EditToolsetView name="mail" />);
    const list = await screen.findByRole("list", { name: "Warnings" });
    const cost = screen.getByRole("table", { name: "Token cost" });
    expect(cost.compareDocumentPosition(list)).toBe(Node.DOCUMENT_POSITION_PRECEDING);
    expect(within(list).getAllByRole("listitem")).toHaveLength(5);
    fireEvent.click(screen.getByRole("button", { name: "Show all 40" }));
    expect(within(list).getAllByRole("listitem")).toHaveLength(40);
  });
});
