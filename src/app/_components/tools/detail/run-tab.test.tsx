// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { executionDetail, executionSummary } from "@/app/_components/executions/summary/execution.test-support";
import { toolDetail } from "@/app/_components/tools/summary/tool.test-support";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { writeKept } from "@/app/_kit/kept-draft";
import { RunTab } from "./run-tab";

const ran = executionDetail({ id: "exec_ran0000000" });

function visit(calls = [executionSummary({ id: ran.id })]) {
  const api = fakeApi({
    "tools.validateArguments": () => ({ valid: true, faults: [] }),
    "executions.run": () => ran,
    "executions.get": () => ran,
    "executions.list": () => ({ items: calls, nextCursor: null }),
  });
  api.render(<RunTab tool={toolDetail()} from={null} />);
  return api;
}
const location = () => screen.getByRole("textbox", { name: "location" });
const typeLocation = (value: string) => fireEvent.change(location(), { target: { value } });

describe("the tab that runs a tool", () => {
  it("restores arguments and result on the next visit, says so, and forgets them on reset", async () => {
    visit();
    typeLocation("Bergen");
    fireEvent.click(screen.getByRole("button", { name: /Run Ctrl\+↵/ }));
    await screen.findByRole("link", { name: "Open" });
    cleanup();

    visit();
    await screen.findByText("Restored your last arguments.");
    expect(location()).toHaveProperty("value", "Bergen");
    await screen.findByRole("link", { name: "Open" });
    fireEvent.click(screen.getByRole("button", { name: "Argument actions" }));
    fireEvent.click(await screen.findByRole("menuitem", { name: "Reset" }));
    cleanup();

    visit();
    expect(location()).toHaveProperty("value", "");
  });

  it("keeps text that is not JSON yet", async () => {
    visit();
    cleanup();
    writeKept("arguments.get_weather", { base: "9f2c41aa", text: '{"location": ', withheld: false });
    visit();
    await screen.findByText("Restored your last arguments.");
    expect(screen.getByRole<HTMLInputElement>("radio", { name: "JSON" }).checked).toBe(true);
    expect(screen.queryByText(/The tool has changed/)).toBeNull();
  });

  it("says that the tool has changed since restored arguments were entered", async () => {
    writeKept("arguments.get_weather", { base: "an older one", text: '{"location":"Bergen"}', withheld: false });
    visit();
    await screen.findByText("The tool has changed since you entered these arguments.");
    expect(location()).toHaveProperty("value", "Bergen");
    fireEvent.click(screen.getByRole("button", { name: "Undo" }));
    expect(screen.queryByText(/The tool has changed/)).toBeNull();
  });

  it("loads the arguments of a recent call, and takes them back", async () => {
    visit();
    typeLocation("Bergen");
    fireEvent.click(await screen.findByTitle(/^Load these arguments: /));
    await waitFor(() => expect(location()).toHaveProperty("value", "Oslo"));
    act(() => fireEvent.click(screen.getByRole("button", { name: "Undo" })));
    expect(location()).toHaveProperty("value", "Bergen");
    expect(screen.getByRole("link", { name: `Open execution ${ran.id}` }).getAttribute("href")).toBe(
      `/executions/${ran.id}`,
    );
  });

  it("recent calls show the arguments in which they differ", async () => {
    const call = (id: string, argumentsPreview: string) => executionSummary({ id, argumentsPreview });
    visit([
      call("exec_one0000000", '{"location":"Oslo","units":"metric"}'),
      call("exec_two0000000", '{"location":"Bergen","units":"metric","days":2}'),
      call("exec_cut0000000", '{"location":"a very long na…'),
    ]);
    const shown = (await screen.findAllByTitle(/^Load these arguments: /)).map(({ textContent }) => textContent);
    expect(shown).toEqual([
      'location: "Oslo" · days: omitted',
      'location: "Bergen" · days: 2',
      '{"location":"a very long na…',
    ]);
  });
});
