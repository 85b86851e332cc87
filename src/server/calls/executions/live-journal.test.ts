import { expect, it } from "vitest";
import { createLiveObserver } from "./live-journal";

it("sends what a call of a private run reports to the run's readers, and of a personal credential to its owner", () => {
  const sent: unknown[] = [];
  const observer = createLiveObserver(
    (event, audience) => void sent.push([event.type, audience]),
    (runId) => (runId === "private" ? ["ada"] : undefined),
  );
  const line = { atMs: 0, level: "info" as const, message: "text" };
  observer.log("exec_1", line, 0, { owner: null, runId: "private" });
  observer.progress("exec_1", 1, null, "text", { owner: null, runId: "private" });
  observer.log("exec_1", line, 0, { owner: "bob", runId: "private" });
  observer.log("exec_1", line, 0, { owner: null, runId: "open" });
  observer.log("exec_1", line, 0, { owner: null, runId: null });
  expect(sent).toEqual([
    ["execution_log", ["ada"]],
    ["execution_progress", ["ada"]],
    ["execution_log", ["bob"]],
    ["execution_log", undefined],
    ["execution_log", undefined],
  ]);
});
