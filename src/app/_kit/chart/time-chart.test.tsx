// @vitest-environment happy-dom
import { fireEvent, screen } from "@testing-library/react";
import axe from "axe-core";
import { describe, expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { formatStep, listStepLabels } from "./chart-geometry";
import { TimeChart } from "./time-chart";

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 20, 8);
const VALUES = [4, 0, 7, 2];
const STEPS = VALUES.map((_, at) => ({ at: START + at * HOUR, end: START + (at + 1) * HOUR }));

function render() {
  const api = fakeApi({});
  const { container } = api.render(
    <TimeChart
      title="Calls over time"
      summary="13 calls"
      steps={STEPS}
      series={[{ label: "calls", look: "bar", tone: "accent", values: VALUES }]}
      formatAxis={String}
      describeStep={(step) => [`${VALUES[step]} calls`]}
      listFigures={(step) => ({ Calls: String(VALUES[step]) })}
      toPath={({ since, until }) => `/executions?since=${since}&until=${until}`}
      zone="UTC"
    />,
  );
  const slider = screen.getByRole("slider", { name: "Calls over time" });
  return { api, container, slider, read: () => slider.getAttribute("aria-valuetext") };
}

const press = (slider: HTMLElement, ...keys: (string | { key: string; shiftKey: boolean })[]): void => {
  for (const key of keys) fireEvent.keyDown(slider, typeof key === "string" ? { key } : key);
};

describe("a chart over time", () => {
  it("is read and opened with the keyboard, a step or several", () => {
    const { api, slider, read } = render();
    expect(read()).toBe("2026-11-20 11:00 – 12:00, 2 calls");
    press(slider, "ArrowLeft");
    expect(read()).toBe("2026-11-20 10:00 – 11:00, 7 calls");
    press(slider, "Home", "ArrowLeft");
    expect(read()).toBe("2026-11-20 08:00 – 09:00, 4 calls");
    press(slider, { key: "ArrowRight", shiftKey: true }, { key: "ArrowRight", shiftKey: true });
    expect(read()).toBe("2026-11-20 08:00 – 11:00");
    press(slider, "Enter");
    expect(api.visited.at(-1)).toBe(`/executions?since=${START}&until=${START + 3 * HOUR - 1}`);
    press(slider, "Escape", "End", "Enter");
    expect(api.visited.at(-1)).toBe(`/executions?since=${START + 3 * HOUR}&until=${START + 4 * HOUR - 1}`);
  });

  it("shows the figures below the pointer, and opens the range that it is dragged over, in either direction", () => {
    const { api, container, slider } = render();
    slider.getBoundingClientRect = () => new DOMRect(0, 0, 400, 100);
    fireEvent.pointerMove(slider, { clientX: 250 });
    expect(container.textContent).toContain("2026-11-20 10:00 – 11:00 (UTC)7 calls");
    fireEvent.pointerDown(slider, { clientX: 250, button: 0 });
    fireEvent.pointerMove(slider, { clientX: 110 });
    expect(container.textContent).toContain("2026-11-20 09:00 – 11:00 (UTC)");
    fireEvent.pointerUp(slider);
    expect(api.visited).toEqual([`/executions?since=${START + HOUR}&until=${START + 3 * HOUR - 1}`]);
    fireEvent.pointerMove(slider, { clientX: 10 });
    fireEvent.pointerLeave(slider);
    expect(container.textContent).not.toContain("(UTC)");
  });

  it("has its figures as a table, and nothing that axe finds", async () => {
    const { container } = render();
    const check = async () =>
      (await axe.run(container, { rules: { "color-contrast": { enabled: false } } })).violations.map(({ id }) => id);
    expect(await check()).toEqual([]);
    fireEvent.click(screen.getByRole("button", { name: "View as table" }));
    expect(await screen.findByRole("table", { name: "Calls over time" })).toBeDefined();
    expect(screen.getAllByRole("link").map((link) => link.textContent)).toEqual(
      STEPS.map((step) => formatStep(step, "UTC")),
    );
    expect(await check()).toEqual([]);
  });

  it("names steps by days of the zone, and labels few of them", () => {
    expect(formatStep({ at: Date.UTC(2026, 10, 19, 15), end: Date.UTC(2026, 10, 20, 15) }, "Asia/Tokyo")).toBe(
      "2026-11-20",
    );
    expect(formatStep({ at: Date.UTC(2026, 10, 1), end: Date.UTC(2026, 10, 8) }, "UTC")).toBe(
      "2026-11-01 – 2026-11-07",
    );
    expect(formatStep({ at: Date.UTC(2026, 10, 1, 23), end: Date.UTC(2026, 10, 2, 1) }, "UTC")).toBe(
      "2026-11-01 23:00 – 2026-11-02 01:00",
    );
    const steps = Array.from({ length: 48 }, (_, at) => ({ at: START + at * HOUR, end: START + (at + 1) * HOUR }));
    expect(listStepLabels(steps, "UTC").map(({ text }) => text)).toEqual([
      "11-20 08:00",
      "11-20 16:00",
      "11-21 00:00",
      "11-21 08:00",
      "11-21 16:00",
      "11-22 00:00",
    ]);
  });
});
