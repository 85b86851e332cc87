// @vitest-environment happy-dom
import { screen, within } from "@testing-library/react";
import axe from "axe-core";
import { expect, it } from "vitest";
import { runDetail } from "@/app/_components/runs/summary/run.test-support";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { answered, asked, DONE, runLog, said } from "@/lib/run/run-log.test-support";
import { RunsSideBySide } from "./runs-side-by-side";

it("AGT-08 shows two runs side by side with their figures and where they differ, and swaps them", async () => {
  const buildLog = (text: string) => runLog(said("weather in Oslo"), asked(1), answered(1, text), DONE);
  const api = fakeApi({
    "interactions.list": () => [],
    "runs.get": ({ id }: { id: string }) =>
      id === "run_first0000"
        ? runDetail(buildLog("Cold"), { id, model: "rules" })
        : runDetail(buildLog("Sunny"), { id, model: "other", parentId: "run_first0000" }),
  });
  api.render(<RunsSideBySide leftId="run_first0000" rightId="run_second000" />);
  const left = screen.getByRole("region", { name: "Left run" });
  const right = screen.getByRole("region", { name: "Right run" });
  expect(await within(left).findByText("Cold")).toBeDefined();
  expect(await within(right).findByText("Sunny")).toBeDefined();
  expect(within(right).getByText("demo / other")).toBeDefined();
  expect(screen.getByText("Different from step 1")).toBeDefined();
  for (const column of [left, right]) {
    expect(within(column).getByText("The runs differ from here")).toBeDefined();
    expect(column.querySelectorAll("[data-differs]")).toHaveLength(1);
  }
  expect(screen.getByRole("link", { name: "Swap" }).getAttribute("href")).toBe(
    "/runs/compare?left=run_second000&right=run_first0000",
  );
  const { violations } = await axe.run(document.body, {
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
  });
  expect(violations.map(({ id }) => id)).toEqual([]);
});
