// @vitest-environment happy-dom
import { act, fireEvent, screen, within } from "@testing-library/react";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import { executionDetail } from "@/app/_components/executions/summary/execution.test-support";
import { findViolations } from "@/app/_kit/axe.test-support";
import { type FakeApi, fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { ResultPanel } from "./result-panel";

function show(execution: ExecutionDetail): FakeApi {
  const api = fakeApi({});
  api.render(<ResultPanel execution={execution} />);
  return api;
}

interface ReadPanelProps {
  first: ExecutionDetail;
  onReady: (read: (execution: ExecutionDetail) => void) => void;
}

/** A panel whose execution is read again. */
function ReadPanel({ first, onReady }: ReadPanelProps) {
  const [execution, setExecution] = useState(first);
  onReady(setExecution);
  return <ResultPanel execution={execution} />;
}

function openTab(name: string | RegExp): void {
  fireEvent.click(screen.getByRole("tab", { name }));
}

describe("the result of a call", () => {
  it("TIME-01 shows status, duration and size, and parts that add up to the total, also as text", async () => {
    show(executionDetail());
    const header = screen.getByText("succeeded");
    expect(header.getAttribute("data-status")).toBe("succeeded");
    expect(screen.getByTitle("Duration: the tool itself").textContent).toBe("Duration: 0.41 ms");
    expect(screen.getByText("18 B")).toBeDefined();
    const bar = screen.getByRole("img", {
      name: "Timing: Validation 0.06 ms, Recording 0.23 ms, Duration 0.41 ms, Total 0.7 ms",
    });
    expect(bar.querySelectorAll("rect")).toHaveLength(3);
    expect(await findViolations()).toEqual([]);
  });

  it("the log opens by itself while a tool logs", async () => {
    const running = executionDetail({ status: "running", resultText: null, finishedAt: null });
    const api = fakeApi({});
    api.render(<ResultPanel execution={running} />);
    const isOpen = (name: RegExp) => screen.getByRole("tab", { name }).getAttribute("aria-selected");
    expect(isOpen(/^Result/)).toBe("true");
    const line = { atMs: 5, level: "info", message: "Reading page 2" } as const;
    act(() => api.emit({ type: "execution_log", executionId: running.id, line, before: 0 }));
    expect(isOpen(/^Log/)).toBe("true");
    expect(screen.getByText("Reading page 2")).toBeDefined();
  });

  it("OUT-01 shows what a model gets with both sizes and says that it was cut", async () => {
    show(
      executionDetail({
        modelView: { text: "abc… [truncated]", sentChars: 2_000, totalChars: 18_204, truncated: true, maxChars: 2_000 },
        storedBytes: 1_048_576,
        resultBytes: 5_242_880,
      }),
    );
    openTab("Model view");
    expect(screen.getByText("Cut for models")).toBeDefined();
    expect(screen.getByText("2,000 of 18,204 characters")).toBeDefined();
    expect(screen.getByText("1 MiB of 5 MiB")).toBeDefined();
    expect(screen.getByText("abc… [truncated]")).toBeDefined();
    expect(await findViolations()).toEqual([]);
  });

  it("OUT-01 shows a result that was stored in part as text, with a notice", () => {
    show(
      executionDetail({
        resultText: '{"a":[1,2',
        resultTruncated: true,
        resultBytes: 5_242_880,
        storedBytes: 1_048_576,
      }),
    );
    expect(screen.getByText("Stored in part")).toBeDefined();
    expect(screen.getByText(/^1 MiB stored of 5 MiB/, { selector: "header span" })).toBeDefined();
    expect(screen.getByText('{"a":[1,2')).toBeDefined();
  });

  it("ERR-02 shows faults beside their places and the parameters that are required", async () => {
    show(
      executionDetail({
        status: "failed",
        resultText: null,
        error: "Invalid parameters: missing 'location'",
        errorKind: "invalid_arguments",
        faults: [{ pointer: "/location", path: "location", keyword: "required", message: "is required" }],
      }),
    );
    expect(screen.getByText("Invalid arguments")).toBeDefined();
    expect(screen.getByText("Invalid parameters: missing 'location'")).toBeDefined();
    expect(screen.getByText("is required")).toBeDefined();
    expect(screen.getByText("City name")).toBeDefined();
    expect(await findViolations()).toEqual([]);
  });

  it("TIME-03 names the limit that fired, who set it and how to change it", () => {
    show(
      executionDetail({
        status: "timed_out",
        resultText: null,
        error: "Timed out after 1500 ms",
        errorKind: "timeout",
        limit: { name: "timeout", value: 1_500, unit: "ms", setBy: "tool" },
      }),
    );
    expect(screen.getByText("timed out").getAttribute("data-status")).toBe("failed");
    expect(screen.getByText("Time limit: 1.5 s")).toBeDefined();
    expect(screen.getByText(/Set by “timeout_ms” in the tool's definition/)).toBeDefined();
  });

  it("shows log lines and progress as they arrive, and a way to cancel", async () => {
    const running = executionDetail({ status: "running", resultText: null, modelView: null, finishedAt: null });
    const api = show(running);
    expect(screen.getByRole("button", { name: "Cancel call" })).toBeDefined();
    act(() => {
      api.emit({ type: "execution_progress", executionId: running.id, progress: 3, total: 10, message: "reading" });
      api.emit({
        type: "execution_log",
        executionId: running.id,
        line: { atMs: 12, level: "warn", message: "slow disk" },
        before: 0,
      });
      api.emit({
        type: "execution_log",
        executionId: "exec_another0",
        line: { atMs: 12, level: "warn", message: "not mine" },
        before: 0,
      });
    });
    expect(await screen.findByText("3 / 10")).toBeDefined();
    openTab(/Log/);
    expect(within(screen.getByRole("log")).getByText("slow disk")).toBeDefined();
    expect(screen.queryByText("not mine")).toBeNull();
    expect(await findViolations()).toEqual([]);
  });

  it("shows what a running call logged before the page listened, then what it hears, each line once", () => {
    const lines = [1, 2, 3, 4].map((atMs) => ({ atMs, level: "info", message: `Step ${atMs}` }) as const);
    const running = executionDetail({ status: "running", resultText: null, finishedAt: null });
    let read = (_: ExecutionDetail): void => {};
    const api = fakeApi({});
    api.render(<ReadPanel first={running} onReady={(setExecution) => (read = setExecution)} />);
    act(() => {
      for (const [before, line] of lines.entries()) {
        if (before > 0) api.emit({ type: "execution_log", executionId: running.id, line, before });
      }
    });
    expect(screen.getByText("Earlier lines appear when the call ends.")).toBeDefined();
    act(() => read({ ...running, logs: lines.slice(0, 3) }));
    const shown = within(screen.getByRole("log")).getAllByRole("listitem");
    expect(shown.map(({ textContent }) => /Step \d/.exec(textContent ?? "")?.[0])).toEqual([
      "Step 1",
      "Step 2",
      "Step 3",
      "Step 4",
    ]);
    expect(screen.queryByText("Earlier lines appear when the call ends.")).toBeNull();
  });

  it("shows the stored log when the call has ended", () => {
    show(executionDetail({ logs: [{ atMs: 1, level: "error", message: "kept" }] }));
    openTab(/Log/);
    expect(screen.getByText("kept")).toBeDefined();
  });

  it("draws no time that was not measured", () => {
    show(
      executionDetail({ durationMs: null, timing: { validateMs: null, recordMs: null, waitMs: null, runMs: null } }),
    );
    expect(screen.queryByRole("img")).toBeNull();
  });
});
