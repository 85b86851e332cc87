// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { Figures } from "./overview-view";

const TOTALS = {
  calls: 20,
  finished: 10,
  failed: 6,
  error: 1,
  timedOut: 1,
  interrupted: 0,
  invalid: 4,
  consoleInvalid: 5,
  rejected: 3,
  cancelled: 0,
  waiting: 2,
  running: 0,
  p50Ms: 12,
  p95Ms: 40,
  p99Ms: 40,
  waits: { calls: 5, p50Ms: 3_000, p95Ms: 60_000 },
};

const getFigure = (label: string) => screen.getByText(label).nextElementSibling?.textContent;

describe("the figures of the overview", () => {
  it("each lead to the calls that they count, of the same period", () => {
    fakeApi({}).render(<Figures totals={TOTALS} days={7} since={5} />);
    expect(getFigure("Failed, 7 days")).toBe("60%6 of 10 finished");
    expect(getFigure("Duration p95, 7 days")).toBe("40 ms");
    const getPath = (name: string) => screen.getByRole("link", { name }).getAttribute("href");
    expect(getPath("Calls, 7 days: 20")).toBe("/executions?range=custom&since=5&kind=tool");
    expect(getPath("Failed, 7 days: 60%")).toBe("/executions?range=custom&since=5&status=failed&kind=tool");
    expect(getPath("Running now: 0")).toBe("/executions?range=custom&since=5&status=running&kind=tool");
  });

  it("name the parts of the failed calls, and the classes that are not counted, each a link to its calls", () => {
    fakeApi({}).render(<Figures totals={TOTALS} days={7} since={5} />);
    const links = screen.getAllByRole("link").map((link) => [link.textContent, link.getAttribute("href")]);
    const list = "/executions?range=custom&since=5&status=";
    expect(links.slice(-6)).toEqual([
      ["1 error", `${list}error&kind=tool`],
      ["1 timed out", `${list}timed_out&kind=tool`],
      ["4 invalid", `${list}invalid&source=agent%2Cgateway%2Cbackground%2Capi%2Capp&kind=tool`],
      ["5 invalid in the console", `${list}invalid&source=console%2Creplay&kind=tool`],
      ["3 rejected", "/executions?range=custom&since=5&status=rejected&kind=tool"],
      ["2 need approval", "/executions?range=custom&since=5&status=waiting&kind=tool"],
    ]);
  });
});
