// @vitest-environment happy-dom
import { act, render, screen } from "@testing-library/react";
import { hydrateRoot, type Root } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { afterEach, expect, it, vi } from "vitest";
import { ClockTime } from "./clock-time";
import { RelativeTime } from "./relative-time";
import { TimeZoneProvider } from "./time-zone";
import { parseTimeZone } from "./time-zone-cookie";

const AT = Date.UTC(2026, 10, 21, 12, 0, 0, 7);
let root: Root | null = null;

afterEach(() => {
  act(() => root?.unmount());
  root = null;
  vi.restoreAllMocks();
});

it("the server renders in the zone of the viewer's last page, and the browser corrects it without a mismatch", () => {
  const errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const page = (
    <TimeZoneProvider rendered="Asia/Tokyo">
      <ClockTime at={AT} />
    </TimeZoneProvider>
  );
  const host = document.createElement("div");
  host.innerHTML = renderToString(page);
  expect(host.textContent).toBe("21:00:00.007");
  expect(host.querySelector("time")?.title).toBe("2026-11-21 21:00:00.007 UTC+9 (Asia/Tokyo)");
  act(() => {
    root = hydrateRoot(host, page);
  });
  expect(host.textContent).toBe("12:00:00.007");
  expect(document.cookie).toContain("toolroom_time_zone=UTC");
  expect(errors).not.toHaveBeenCalled();
});

it("a relative time stands alone, with the instant and its zone as title", () => {
  const at = Date.now() - 120_000;
  render(<RelativeTime at={at} />);
  expect(screen.getByText("2 min ago").title).toBe(
    `${new Date(at).toISOString().replace("T", " ").replace("Z", "")} UTC`,
  );
});

it("a cookie that names no zone means UTC", () => {
  expect(parseTimeZone("Europe/Berlin")).toBe("Europe/Berlin");
  for (const text of [undefined, "", "Mars/Base", "x".repeat(500)]) expect(parseTimeZone(text)).toBe("UTC");
});
