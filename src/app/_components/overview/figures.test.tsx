// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { Figures } from "./overview-view";

const TOTALS = {
  ...{ calls: 20, finished: 10, failed: 1, invalid: 4, rejected: 3, cancelled: 0, waiting: 2, running: 0 },
  ...{ p50Ms: 12, p95Ms: 40, waits: { calls: 5, p50Ms: 3_000, p95Ms: 60_000 } },
};

const getFigure = (label: string) => screen.getByText(label).nextElementSibling?.textContent;

describe("the figures of the overview", () => {
  it("have a failure rate of finished calls, and the time waiting for a person apart from p95", () => {
    fakeApi({}).render(<Figures totals={TOTALS} days={7} />);
    expect(getFigure("Failed")).toBe("10%1 of 10");
    expect(getFigure("p95")).toBe("40 ms");
    expect(getFigure("Wait for a person, p95")).toBe("1 min5");
  });

  it("name the classes that are not counted as failed, each a link to its calls", () => {
    fakeApi({}).render(<Figures totals={TOTALS} days={7} />);
    expect(screen.getAllByRole("link").map((link) => [link.textContent, link.getAttribute("href")])).toEqual([
      ["4 invalid", "/executions?status=invalid"],
      ["3 rejected", "/executions?status=rejected"],
      ["2 need approval", "/executions?status=waiting"],
    ]);
  });
});
