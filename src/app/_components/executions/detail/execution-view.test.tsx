// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { CompareView } from "@/app/_components/executions/compare/compare-view";
import { executionDetail, executionSummary } from "@/app/_components/executions/summary/execution.test-support";
import { findViolations } from "@/app/_kit/axe.test-support";
import { type FakeApi, fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { ExecutionView } from "./execution-view";

const PARENT = executionDetail({ id: "exec_parent000", durationMs: 10 });
const CHILD = executionDetail({
  id: "exec_child0000",
  source: "replay",
  parentId: PARENT.id,
  parent: executionSummary({ id: PARENT.id }),
  argumentsText: '{"location":"Bergen"}',
  resultText: '{"temperature":7}',
  durationMs: 20,
  definitionChanged: true,
});

function serverWith(executions: ExecutionDetail[], search = ""): FakeApi {
  return fakeApi(
    {
      "executions.get": ({ id }: { id: string }) => {
        const found = executions.find((execution) => execution.id === id);
        if (!found) throw new Error(`no execution ${id}`);
        return found;
      },
      "executions.replay": () => ({ ...CHILD, id: "exec_replayed0" }),
      "executions.cancel": () => ({ cancelled: true }),
    },
    search,
  );
}

describe("the page of an execution", () => {
  it("EXE-06 shows arguments, result, who, from where and when, and axe finds nothing", async () => {
    const api = serverWith([PARENT, CHILD]);
    api.render(<ExecutionView id={CHILD.id} />);
    await screen.findByRole("heading", { level: 1, name: "get_weather" });
    expect(within(screen.getByRole("region", { name: "Arguments" })).getByText('"Bergen"')).toBeDefined();
    expect(within(screen.getByRole("region", { name: "Result" })).getByText("7")).toBeDefined();
    expect(screen.getAllByText("Local owner").length).toBeGreaterThan(0);
    expect(screen.getAllByTitle("2026-09-21 14:13:20.000 UTC")).toBeDefined();
    expect(await findViolations()).toEqual([]);
  });

  it("EXE-06 says that the client disconnected before the response, beside the status of the tool", async () => {
    const line = { atMs: 5, level: "warn", message: "no answer was delivered", event: "caller_gone" } as const;
    const gone: ExecutionDetail = { ...PARENT, logs: [line] };
    serverWith([gone]).render(<ExecutionView id={gone.id} />);
    const details = within(await screen.findByRole("region", { name: "Details" }));
    expect(details.getByText("Client disconnected before the response")).toBeDefined();
    expect(details.queryByText("succeeded")).toBeNull();
    expect(screen.getAllByText("succeeded")).toHaveLength(1);
  });

  it("says how a replay came out beside its parent and leads to the comparison", async () => {
    const api = serverWith([PARENT, CHILD]);
    api.render(<ExecutionView id={CHILD.id} />);
    await screen.findByText("another result · 2.0× slower");
    const link = screen.getByRole("link", { name: "Compare" });
    expect(link.getAttribute("href")).toBe(`/compare?left=${PARENT.id}&right=${CHILD.id}`);
  });

  it("replays as it was and goes to the new call", async () => {
    const api = serverWith([PARENT]);
    api.render(<ExecutionView id={PARENT.id} />);
    fireEvent.click(await screen.findByRole("button", { name: "Replay" }));
    await waitFor(() => expect(api.visited).toEqual(["/executions/exec_replayed0"]));
    expect(api.calls.at(-1)).toEqual({ path: "executions.replay", input: { id: PARENT.id } });
  });

  it("keeps the open tab in the address and shows the definition of that time, with a word when it changed", async () => {
    const api = serverWith([PARENT, CHILD], "?tab=definition");
    api.render(<ExecutionView id={CHILD.id} />);
    await screen.findByText("Changed since this call");
    expect(screen.getByText("9f2c41aa00112233")).toBeDefined();
    fireEvent.click(screen.getByRole("tab", { name: /Replays/ }));
    await waitFor(() => expect(api.searches.at(-1)).toBe("?tab=replays"));
  });

  it("lists a replay that begins elsewhere", async () => {
    const executions = [PARENT];
    const api = serverWith(executions, "?tab=replays");
    api.render(<ExecutionView id={PARENT.id} />);
    await screen.findByText("No replays");
    executions[0] = { ...PARENT, children: [executionSummary({ id: CHILD.id, parentId: PARENT.id })] };
    api.emit({
      type: "execution",
      execution: { id: CHILD.id, toolName: "x", status: "running", source: "replay", parentId: PARENT.id },
    });
    await screen.findByText("Replays (1)");
  });

  it("follows a running call to its end and lets it be cancelled; the focus goes to what can be done next", async () => {
    const running = executionDetail({
      id: "exec_running00",
      status: "running",
      resultText: null,
      finishedAt: null,
      durationMs: null,
      modelView: null,
    });
    const executions = [running];
    const api = serverWith(executions);
    api.render(<ExecutionView id={running.id} />);
    const cancel = await screen.findByRole("button", { name: "Cancel call" });
    cancel.focus();
    fireEvent.click(cancel);
    await screen.findByRole("button", { name: "Cancelling…" });
    expect(document.activeElement).toBe(cancel);
    executions[0] = { ...running, status: "cancelled", error: "Cancelled", errorKind: "cancelled" };
    api.emit({
      type: "execution",
      execution: { id: running.id, toolName: "x", status: "cancelled", source: "console", parentId: null },
    });
    expect((await screen.findByText("cancelled")).getAttribute("data-status")).toBe("cancelled");
    expect(screen.queryByRole("button", { name: "Cancelling…" })).toBeNull();
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Replay" }));
  });
});

describe("edit and replay", () => {
  it("runs changed arguments as a replay of the call and shows the new result beside the old one", async () => {
    const api = fakeApi(
      {
        "executions.get": ({ id }: { id: string }) => (id === CHILD.id ? CHILD : PARENT),
        "tools.get": () => ({ definition: PARENT.definition }),
        "tools.validateArguments": () => ({ valid: true, faults: [], note: null }),
        "executions.run": () => CHILD,
      },
      "?tab=edit",
    );
    api.render(<ExecutionView id={PARENT.id} />);
    const field = await screen.findByRole("textbox", { name: /location/ });
    expect(field).toHaveProperty("value", "Oslo");
    fireEvent.change(field, { target: { value: "Bergen" } });
    fireEvent.click(screen.getByRole("button", { name: /Run again/ }));
    await waitFor(() =>
      expect(within(screen.getByRole("region", { name: "New result" })).getByText("7")).toBeDefined(),
    );
    expect(within(screen.getByRole("region", { name: "Original result" })).getByText("22")).toBeDefined();
    const run = api.calls.find((call) => call.path === "executions.run")?.input;
    expect(run).toMatchObject({
      name: "get_weather",
      parentId: PARENT.id,
      argumentsText: expect.stringContaining("Bergen"),
    });
    await waitFor(() => expect(api.searches.at(-1)).toContain(`new=${CHILD.id}`));
    expect(await findViolations()).toEqual([]);
  });
});

describe("the comparison of two executions", () => {
  it("leads with what differs in result, arguments and duration, folds the other facts, and axe finds nothing", async () => {
    const api = serverWith([PARENT, CHILD]);
    api.render(<CompareView leftId={PARENT.id} rightId={CHILD.id} />);
    const args = await screen.findByRole("region", { name: "Arguments compared" });
    expect(within(args).getByText("1 changed")).toBeDefined();
    expect([...args.querySelectorAll("mark")].map((mark) => mark.textContent)).toEqual(["Oslo", "Bergen"]);
    expect(within(screen.getByRole("region", { name: "Result compared" })).getByText("22")).toBeDefined();
    expect(
      within(screen.getByRole("region", { name: "Duration compared" })).getByText("After is 2.0× slower"),
    ).toBeDefined();
    expect(screen.getByText("Different: Source")).toBeDefined();
    const details = screen.getByRole("table", { name: "Details of the two executions", hidden: true });
    expect(details.closest("details")?.open).toBe(false);
    expect(within(details).getByRole("row", { name: /Source \(differs\)/, hidden: true })).toBeDefined();
    expect(within(details).getByRole("row", { name: /Definition \(the same\)/, hidden: true })).toBeDefined();
    const headings = screen.getAllByRole("heading", { level: 2 }).map(({ textContent }) => textContent);
    expect(headings).toEqual(["Before", "After", "Result", "Arguments", "Duration"]);
    expect(await findViolations()).toEqual([]);
  });

  it("can be turned around", async () => {
    const api = serverWith([PARENT, CHILD]);
    api.render(<CompareView leftId={PARENT.id} rightId={CHILD.id} />);
    const swap = await screen.findByRole("link", { name: "Swap" });
    expect(swap.getAttribute("href")).toBe(`/compare?left=${CHILD.id}&right=${PARENT.id}`);
  });

  it("compares a result with an error", async () => {
    const failed = {
      ...CHILD,
      resultText: null,
      error: "boom",
      errorKind: "tool_error" as const,
      status: "failed" as const,
    };
    const api = serverWith([PARENT, failed]);
    api.render(<CompareView leftId={PARENT.id} rightId={failed.id} />);
    const outcome = await screen.findByRole("region", { name: "Result and error compared" });
    expect(within(outcome).getByText('"boom"')).toBeDefined();
  });
});
