// @vitest-environment happy-dom
import { fireEvent, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { runDetail, runReading } from "@/app/_components/runs/summary/run.test-support";
import { findViolations } from "@/app/_kit/axe.test-support";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { answered, asked, called, DONE, returned, runLog, said } from "@/lib/run/run-log.test-support";
import { RunsSideBySide } from "./runs-side-by-side";

type Call = [tool: string, args: string, result: string];

const buildLog = (calls: readonly Call[], text: string) =>
  runLog(
    said("weather in Oslo"),
    ...calls.flatMap(([tool, args, result], at) => [
      asked(at + 1),
      answered(at + 1, "", [[tool, args]]),
      called(at + 1, 0, tool, args),
      returned(at + 1, 0, tool, result),
    ]),
    asked(calls.length + 1),
    answered(calls.length + 1, text),
    DONE,
  );

it("AGT-08 shows two runs with the steps that belong together side by side, marks the first diverging call, and swaps them", async () => {
  const many = Array.from({ length: 20 }, (_, at): Call => ["read", `{"id":${at}}`, "ok"]);
  const first: Call[] = [...many, ["weather", '{"city":"Oslo"}', "cold"]];
  const second: Call[] = [...many, ["search", "{}", "found"], ["weather", '{"city":"Oslo"}', "sunny"]];
  const api = fakeApi({
    "interactions.list": () => [],
    "runs.get": ({ id }: { id: string }) =>
      id === "run_first0000"
        ? runDetail(buildLog(first, "Cold"), { id, model: "rules" })
        : runDetail(buildLog(second, "Sunny"), { id, model: "other", parentId: "run_first0000" }),
  });
  api.render(<RunsSideBySide leftId="run_first0000" rightId="run_second000" />);
  expect(await screen.findByText("2 changed, 1 added, first call in step 21")).toBeDefined();
  expect(within(screen.getByRole("region", { name: "Right run" })).getByText("demo / other")).toBeDefined();
  const added = screen.getByRole("group", { name: "Added, call of search" });
  expect(added.previousElementSibling?.textContent).toBe("First diverging call");
  const changed = screen.getByRole("group", { name: "Changed: result, call of weather" });
  expect(within(changed).getByText("Left #21")).toBeDefined();
  expect(within(changed).getByText("Right #22")).toBeDefined();
  const response = screen.getByRole("group", { name: "Changed, response" });
  expect(within(response).getByText("Cold")).toBeDefined();
  expect(within(response).getByText("Sunny")).toBeDefined();
  // Equal steps away from a difference are folded.
  const countSame = () => screen.getAllByRole("group", { name: "Same, call of read" }).length;
  expect(countSame()).toBe(3);
  fireEvent.click(screen.getByRole("button", { name: "18 unchanged steps — show" }));
  expect(countSame()).toBe(20);
  expect(screen.getByRole("link", { name: "Swap" }).getAttribute("href")).toBe(
    "/runs/compare?left=run_second000&right=run_first0000",
  );
  expect(await findViolations()).toEqual([]);
});

it("AGT-08 loads logs from their beginning before it compares", async () => {
  const log = buildLog(
    Array.from({ length: 120 }, (_, at): Call => ["read", `{"id":${at}}`, "ok"]),
    "Done",
  );
  const api = fakeApi({
    "interactions.list": () => [],
    "runs.get": ({ id }: { id: string }) =>
      runDetail(id === "run_first0000" ? log.slice(-50) : log, { id, eventCount: log.length }),
    ...runReading(() => log),
  });
  api.render(<RunsSideBySide leftId="run_first0000" rightId="run_second000" />);
  expect(await screen.findByText("No differences")).toBeDefined();
  expect(screen.getByRole("button", { name: "122 unchanged steps — show" })).toBeDefined();
});
