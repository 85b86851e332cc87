// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { toolDetail } from "@/app/_components/tools/summary/tool.test-support";
import { type FakeApi, type FakeProcedures, fakeApi, refusal } from "@/app/_kit/fake-api.test-support";
import { readKept } from "@/app/_kit/kept-draft";
import { EditToolView, NewToolView } from "./new-tool-view";

const MATH = { type: "object", properties: { expression: { type: "string" } }, required: ["expression"] };

/** Checks as little as the tests need: a name, and a type. */
function checkDefinition({ definition }: { definition: string }) {
  const { name, type } = JSON.parse(definition);
  const problems = [];
  if (name === "") problems.push({ path: "name", message: "is required" });
  if (type !== "function") problems.push({ path: "type", message: 'must be "function"' });
  return { problems, quality: [] };
}

function editorApi(procedures: FakeProcedures = {}, search = ""): FakeApi {
  return fakeApi(
    {
      "tools.handlers": () => ({
        builtin: ["echo", "math_eval"],
        internal: ["search"],
        parameters: { builtin: [{ name: "math_eval", parameters: MATH }], internal: [] },
      }),
      "tools.checkDefinition": checkDefinition,
      "tools.get": () => toolDetail({ editable: true }),
      "tools.update": () => toolDetail({ editable: true }),
      ...procedures,
    },
    search,
  );
}

const field = (label: RegExp) => screen.findByLabelText<HTMLInputElement>(label);
const type = async (label: RegExp, value: string) => fireEvent.change(await field(label), { target: { value } });

/** The definition as this tab keeps it, by the name of its draft; without a draft, what the editor began with. */
function readDraft(draft = "tool.new") {
  const kept = readKept(draft);
  if (kept === null) return { name: "", description: "", parameters: toolDetail().definition.parameters };
  return JSON.parse(JSON.parse(kept.text).text);
}

describe("a tool editor that is left", () => {
  it("restores a new tool on the next visit and says so", async () => {
    editorApi().render(<NewToolView />);
    await type(/^Name/, "draft_tool");
    cleanup();
    editorApi().render(<NewToolView />);
    await screen.findByText("Restored your unsaved draft.");
    expect((await field(/^Name/)).value).toBe("draft_tool");
  });

  it("keeps the changes of one tool apart from another's, and says when the tool has changed since", async () => {
    editorApi().render(<EditToolView name="get_weather" />);
    await type(/^Description/, "Mine");
    cleanup();
    editorApi({ "tools.get": () => toolDetail({ name: "other", editable: true }) }).render(
      <EditToolView name="other" />,
    );
    expect((await field(/^Description/)).value).not.toBe("Mine");
    cleanup();
    const lastEdit = { revision: 7, by: "Ada", at: Date.now() };
    const api = editorApi({ "tools.get": () => toolDetail({ editable: true, lastEdit }) });
    api.render(<EditToolView name="get_weather" />);
    await screen.findByText(/Ada changed this tool after you started editing/);
    expect((await field(/^Description/)).value).toBe("Mine");
    fireEvent.click(screen.getByRole("button", { name: "Overwrite" }));
    fireEvent.submit(screen.getByRole("form"));
    await waitFor(() => expect(api.visited).toEqual(["/tools/get_weather"]));
    const saved = api.calls.find(({ path }) => path === "tools.update");
    expect(saved?.input).toMatchObject({ name: "get_weather", revision: 7 });
    expect(sessionStorage.length).toBe(0);
  });
});

describe("problems of a new tool", () => {
  const submit = () => fireEvent.submit(screen.getByRole("form"));

  it("REG-04 appear after the first attempt, once, with the focus on the first, and vanish when mended", async () => {
    const api = editorApi();
    api.render(<NewToolView />);
    await screen.findByText("Not ready to save");
    expect(screen.queryByText("is required")).toBeNull();
    submit();
    await screen.findByText(/is required/, { selector: "li" });
    expect(screen.getAllByText(/is required/)).toHaveLength(1);
    expect(document.activeElement).toBe(await field(/^Name/));
    expect(api.calls.some(({ path }) => path === "tools.create")).toBe(false);
    await type(/^Name/, "mended");
    await waitFor(() => expect(screen.queryByText(/is required/)).toBeNull());
    expect(screen.getByText("Ready to save")).toBeTruthy();
  });

  it("REG-05 the first field of a new tool has the focus, and Ctrl+Enter saves from anywhere on the page", async () => {
    const api = editorApi({ "tools.create": () => toolDetail({ name: "made" }) });
    api.render(<NewToolView />);
    const name = await field(/^Name/);
    await waitFor(() => expect(document.activeElement).toBe(name));
    await type(/^Name/, "made");
    await screen.findByText("Ready to save");
    name.blur();
    fireEvent.keyDown(document.body, { key: "Enter", ctrlKey: true });
    await waitFor(() => expect(api.visited).toEqual(["/tools/made"]));
  });

  it("REG-03 a refusal by the server is shown once, at its field", async () => {
    const rejectCreate = () => {
      throw refusal({ path: "name", message: "'a' is already taken" });
    };
    editorApi({ "tools.create": rejectCreate }).render(<NewToolView />);
    await type(/^Name/, "a");
    await screen.findByText("Ready to save");
    submit();
    await screen.findByText(/already taken/);
    expect(screen.getAllByText(/already taken/)).toHaveLength(1);
    await type(/^Name/, "b");
    expect(screen.queryByText(/already taken/)).toBeNull();
  });

  it("are listed beside the JSON, and beside the form only where no field has them", async () => {
    editorApi({}, "?view=json").render(<NewToolView />);
    await screen.findByText("Not ready to save");
    submit();
    await screen.findByText("is required", { exact: false });
    expect(screen.getAllByText("is required", { exact: false })).toHaveLength(1);
  });
});

describe("what a tool starts with", () => {
  it("IMPL-02 choosing a builtin sets its schema, and a replaced one comes back with Undo", async () => {
    editorApi().render(<NewToolView />);
    await type(/^Description/, "Sums");
    fireEvent.click(await screen.findByRole("radio", { name: "Builtin" }));
    fireEvent.change(await field(/^Handler/), { target: { value: "math_eval" } });
    expect(readDraft()).toMatchObject({
      implementation: { handler: "math_eval" },
      parameters: MATH,
      description: "Sums",
    });
    expect(screen.queryByText(/^Replaced/)).toBeNull();
    cleanup();
    editorApi({ "tools.get": () => toolDetail({ editable: true }) }).render(<EditToolView name="get_weather" />);
    fireEvent.click(await screen.findByRole("radio", { name: "Builtin" }));
    fireEvent.change(await field(/^Handler/), { target: { value: "math_eval" } });
    await screen.findByText("Replaced the parameters with those of the handler.");
    fireEvent.click(screen.getByRole("button", { name: "Undo" }));
    expect(readDraft("tool.edit.get_weather").parameters).toEqual(toolDetail().definition.parameters);
  });

  it.each([
    [
      "OpenAI tool",
      { type: "function", function: { name: "sum", description: "Adds", parameters: MATH, strict: true } },
    ],
    ["OpenAI tool", { type: "function", name: "sum", description: "Adds", parameters: MATH, strict: true }],
    ["Anthropic tool", { name: "sum", description: "Adds", input_schema: MATH, strict: true }],
    [
      "Gemini function declaration",
      { functionDeclarations: [{ name: "sum", description: "Adds", parameters: MATH, strict: true }] },
    ],
    ["MCP tool", { tools: [{ name: "sum", description: "Adds", inputSchema: MATH, strict: true }] }],
  ])("FMT-01 FMT-03 FMT-04 converts a pasted %s, says so and takes it back", async (format, pasted) => {
    editorApi().render(<NewToolView />);
    fireEvent.paste(await field(/^Name/), { clipboardData: { getData: () => JSON.stringify(pasted) } });
    await screen.findByText(new RegExp(`Converted sum from an? ${format}.*parameters.*Left out: strict`));
    expect(readDraft()).toMatchObject({
      name: "sum",
      description: "Adds",
      parameters: MATH,
      implementation: { type: "mock" },
    });
    fireEvent.click(screen.getByRole("button", { name: "Undo" }));
    expect(readDraft()).toMatchObject({ name: "", description: "" });
  });

  it("converts in the JSON mode too, and pastes any other text as it is", async () => {
    editorApi({}, "?view=json").render(<NewToolView />);
    const editor = await screen.findByRole("textbox", { name: "Definition" });
    const pasted = JSON.stringify({ name: "sum", input_schema: MATH });
    fireEvent.paste(editor, { clipboardData: { getData: () => '{"name":"sum"}' } });
    expect(screen.queryByText(/^Converted/)).toBeNull();
    fireEvent.paste(editor, { clipboardData: { getData: () => pasted } });
    await screen.findByText(/Converted sum from an Anthropic tool/);
  });
});
