// @vitest-environment happy-dom
import { EditorView } from "@codemirror/view";
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { executionDetail } from "@/app/_components/executions/summary/execution.test-support";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { Runner } from "./runner";

const { definition } = executionDetail();

describe("running a tool that asks a user", () => {
  it("AGT-05 says so before Run is pressed, and lets the waiting call be withdrawn", async () => {
    const waiting = executionDetail({ id: "exec_waiting00", status: "waiting", resultText: null });
    const heard: ExecutionDetail["status"][] = [];
    const api = fakeApi({
      "tools.validateArguments": () => ({ valid: true, faults: [] }),
      "executions.run": () => waiting,
      "executions.get": () => waiting,
      "executions.cancel": () => ({ cancelled: true }),
    });
    if (definition === null) throw new Error("the test's execution has a definition");
    api.render(
      <Runner
        toolName="get_weather"
        definition={definition}
        initialText='{"location":"Oslo"}'
        approval={{ required: true, because: "hint", mode: null }}
        onExecution={({ status }) => heard.push(status)}
      />,
    );
    expect(screen.getByText("Approval required:")).toBeDefined();
    fireEvent.click(screen.getByRole("button", { name: /Run/ }));
    fireEvent.click(await screen.findByRole("button", { name: "Cancel" }));
    await waitFor(() =>
      expect(api.calls.at(-1)).toEqual({ path: "executions.cancel", input: { id: "exec_waiting00" } }),
    );
    expect(heard).toEqual(["waiting"]);
  });
});

it("the focus stays on the button while Run becomes Cancel, and after the cancelled call", async () => {
  if (definition === null) throw new Error("the test's execution has a definition");
  const running = executionDetail({ id: "exec_running00", status: "running", resultText: null });
  let now = running;
  const api = fakeApi({
    "tools.validateArguments": () => ({ valid: true, faults: [] }),
    "executions.run": () => running,
    "executions.get": () => now,
    "executions.cancel": () => ({ cancelled: true }),
  });
  api.render(
    <Runner
      toolName="get_weather"
      definition={definition}
      initialText='{"location":"Oslo"}'
      onExecution={() => undefined}
    />,
  );
  const run = screen.getByRole("button", { name: /Run/ });
  run.focus();
  fireEvent.click(run);
  const cancel = await screen.findByRole("button", { name: "Cancel" });
  expect(document.activeElement).toBe(cancel);
  fireEvent.click(cancel);
  await screen.findByRole("button", { name: "Cancelling…" });
  now = { ...running, status: "cancelled", error: "Cancelled", errorKind: "cancelled" };
  const { id, toolName } = running;
  act(() =>
    api.emit({
      type: "execution",
      execution: { id, toolName, status: "cancelled", source: "console", parentId: null },
    }),
  );
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: /Run/ })));
});

describe("pressing Run", () => {
  const parameters = { type: "object", properties: { location: { type: "string" } }, required: ["location"] };
  const missing = { pointer: "/location", path: "location", keyword: "required", message: "is required" };

  function show() {
    const api = fakeApi({
      "tools.validateArguments": ({ arguments: text }: { arguments: string }) => {
        const valid = text.includes("location");
        return { valid, faults: valid ? [] : [missing] };
      },
      "executions.run": () => executionDetail(),
    });
    if (definition === null) throw new Error("the test's execution has a definition");
    api.render(
      <Runner
        toolName="get_weather"
        definition={{ ...definition, parameters }}
        initialText="{}"
        onExecution={() => undefined}
      />,
    );
    return api;
  }
  const button = () => screen.getByRole("button", { name: /Run Ctrl\+↵/ });

  it("VAL-05 checks what is in the form now, not what was checked last", async () => {
    const api = show();
    await waitFor(() => expect(button().getAttribute("aria-disabled")).toBe("true"));
    fireEvent.change(screen.getByRole("textbox", { name: "location" }), { target: { value: "Oslo" } });
    fireEvent.click(button());
    await waitFor(() => expect(api.calls.some(({ path }) => path === "executions.run")).toBe(true));
  });

  it("VAL-05 runs nothing while an argument is invalid, and moves to the first such field", async () => {
    const api = show();
    await waitFor(() => expect(button().getAttribute("aria-disabled")).toBe("true"));
    fireEvent.keyDown(document.body, { key: "Enter", ctrlKey: true });
    const field = screen.getByRole("textbox", { name: "location" });
    await waitFor(() => expect(document.activeElement).toBe(field));
    expect(api.calls.some(({ path }) => path === "executions.run")).toBe(false);
  });
});

it("RTE-03 JSON mode sends what stands there, byte for byte, and counts its bytes", async () => {
  const api = fakeApi({
    "tools.validateArguments": () => ({ valid: true, faults: [] }),
    "executions.run": () => executionDetail(),
  });
  if (definition === null) throw new Error("the test's execution has a definition");
  const typed = '{"location":"Tromsø" ,\n\t"days": 2.0,  "days": 1e2 }\n';
  api.render(<Runner toolName="get_weather" definition={definition} initialText="{}" onExecution={() => undefined} />);
  fireEvent.click(screen.getByRole("radio", { name: "JSON" }));
  const view = EditorView.findFromDOM(await screen.findByLabelText("Arguments as JSON"));
  act(() => view?.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: typed } }));
  expect(screen.getByRole("region", { name: "Request body" }).textContent).toContain(
    `${new TextEncoder().encode(typed).length} bytes`,
  );
  fireEvent.keyDown(document.body, { key: "Enter", ctrlKey: true });
  await waitFor(() => expect(api.calls.at(-1)?.path).toBe("executions.run"));
  expect(api.calls.at(-1)?.input).toMatchObject({ argumentsText: typed });
});

describe("what the form starts with", () => {
  const parameters = {
    type: "object",
    properties: { unit: { type: "string", default: "celsius" }, days: { type: "integer", default: 3 } },
    required: ["unit"],
  };

  async function runUntouched(type: "mcp" | "builtin"): Promise<unknown> {
    const api = fakeApi({
      "tools.validateArguments": () => ({ valid: true, faults: [] }),
      "executions.run": () => executionDetail(),
    });
    if (definition === null) throw new Error("the test's execution has a definition");
    const implementation =
      type === "mcp" ? { type, server: "weather", tool: "get" } : { type, handler: "get_current_time" };
    api.render(
      <Runner
        toolName="get_weather"
        definition={{ ...definition, parameters, implementation }}
        initialText={null}
        onExecution={() => undefined}
      />,
    );
    if (type === "builtin") expect(screen.getAllByRole("button", { name: "Use default" })).toHaveLength(2);
    fireEvent.click(screen.getByRole("button", { name: /Run/ }));
    await waitFor(() => expect(api.calls.some(({ path }) => path === "executions.run")).toBe(true));
    return api.calls.find(({ path }) => path === "executions.run")?.input;
  }

  it("RTE-03 fills in a required argument's default for a server's tool, in sight and as it is sent", async () => {
    const input = await runUntouched("mcp");
    expect(screen.getByLabelText("Exact request body").textContent).toContain('"unit"');
    expect(input).toMatchObject({ argumentsText: '{ "unit": "celsius" }' });
  });

  it("RTE-03 required objects are open", async () => {
    const place = { type: "object", properties: { city: { type: "string" } } };
    const api = fakeApi({ "tools.validateArguments": () => ({ valid: true, faults: [] }) });
    if (definition === null) throw new Error("the test's execution has a definition");
    api.render(
      <Runner
        toolName="get_weather"
        definition={{
          ...definition,
          parameters: { type: "object", properties: { place, other: place }, required: ["place"] },
        }}
        initialText={null}
        onExecution={() => undefined}
      />,
    );
    expect(screen.getByLabelText("Exact request body").textContent).toBe('{ "place": {} }');
    expect(screen.getByRole("textbox", { name: "place.city" })).toBeDefined();
    expect(screen.getByRole("button", { name: "Add other" })).toBeDefined();
  });

  it("RTE-03 sends nothing that was not chosen for an own tool, and offers the defaults of required arguments too", async () => {
    expect(await runUntouched("builtin")).toMatchObject({ argumentsText: "{}" });
  });
});

it("VAL-05 a value that only looks wrong is a warning beside its field and does not block Run", async () => {
  const warning = {
    pointer: "/id",
    path: "id",
    keyword: "format",
    severity: "warning",
    message: 'must match format "uuid"',
  };
  const api = fakeApi({
    "tools.validateArguments": () => ({ valid: true, faults: [], warnings: [warning] }),
    "executions.run": () => executionDetail(),
  });
  if (definition === null) throw new Error("the test's execution has a definition");
  const parameters = { type: "object", properties: { id: { type: "string", format: "uuid" } } };
  api.render(
    <Runner
      toolName="notion__fetch"
      definition={{ ...definition, parameters, implementation: { type: "mcp", server: "notion", tool: "fetch" } }}
      initialText='{"id":"21f1"}'
      onExecution={() => undefined}
    />,
  );
  expect((await screen.findByText(/Warning:/)).textContent).toBe('Warning: must match format "uuid"');
  expect(screen.getByLabelText("id").getAttribute("aria-invalid")).not.toBe("true");
  expect(screen.getByRole("button", { name: /1 warning/ })).toBeDefined();
  expect(screen.queryByRole("button", { name: "Run anyway" })).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: /^Run/ }));
  await waitFor(() => expect(api.calls.some(({ path }) => path === "executions.run")).toBe(true));
});
