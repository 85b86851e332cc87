// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { executionDetail } from "@/app/_components/executions/execution.test-support";
import { fakeApi } from "@/app/_components/executions/fake-api.test-support";
import type { ExecutionDetail } from "@/lib/contract";
import { Runner } from "./runner";

afterEach(cleanup);

const { definition } = executionDetail();

describe("running a tool that asks a person", () => {
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
    expect(screen.getByText("Run asks for approval first.")).toBeDefined();
    fireEvent.click(screen.getByRole("button", { name: /Run/ }));
    fireEvent.click(await screen.findByRole("button", { name: "Cancel" }));
    await waitFor(() =>
      expect(api.calls.at(-1)).toEqual({ path: "executions.cancel", input: { id: "exec_waiting00" } }),
    );
    expect(heard).toEqual(["waiting"]);
  });
});
