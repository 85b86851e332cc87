// @vitest-environment happy-dom
import "./date-box";
import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import type { DateChoice } from "./date-choice";
import { DateButton, DatePicker } from "./date-picker";

const NOON = new Date(2026, 10, 18, 12).getTime();

async function open(choice: Partial<DateChoice> = {}) {
  const onPick = vi.fn();
  const given = { label: "From", by: "instant", value: NOON, onPick, ...choice } as const;
  render(<DatePicker {...given} trigger={<DateButton label="From" by={given.by} value={given.value} />} />);
  fireEvent.click(screen.getByRole("button", { name: /^From/ }));
  const box = within(await screen.findByRole("dialog", { name: "From" }));
  return { onPick, box, text: box.getByRole<HTMLInputElement>("textbox", { name: "From" }) };
}

it("shows the date as it is typed, and takes another one with Enter", async () => {
  const { onPick, box, text } = await open();
  expect(text.value).toBe("2026-11-18 12:00");
  fireEvent.change(text, { target: { value: "2026-12-24 18:30" } });
  expect(box.getByRole("grid", { name: "December 2026" })).toBeTruthy();
  fireEvent.submit(text);
  expect(onPick.mock.calls).toEqual([[new Date(2026, 11, 24, 18, 30).getTime()]]);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(document.activeElement).toBe(screen.getByRole("button", { name: /^From/ }));
});

it("says what can be typed where a text is no date, and keeps the date", async () => {
  const { onPick, box, text } = await open();
  fireEvent.change(text, { target: { value: "soon" } });
  fireEvent.submit(text);
  expect(box.getByText(/Not a date or time. Try 2026-11-29 14:00, yesterday, 7d/)).toBeTruthy();
  expect([onPick.mock.calls, text.getAttribute("aria-invalid")]).toEqual([[], "true"]);
});

it("is operated by arrow keys: down into the calendar, by days, weeks and months, and the time of the day stays", async () => {
  const { onPick, box, text } = await open();
  fireEvent.keyDown(text, { key: "ArrowDown" });
  const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });
  const here = () => document.activeElement?.getAttribute("aria-label");
  expect(here()).toBe("Wednesday, November 18, 2026");
  for (const key of ["ArrowRight", "ArrowDown", "PageDown", "Home"]) press(key);
  expect(here()).toBe("Monday, December 21, 2026");
  expect(box.getByRole("grid", { name: "December 2026" })).toBeTruthy();
  fireEvent.click(document.activeElement ?? document.body);
  expect(onPick.mock.calls).toEqual([[new Date(2026, 11, 21, 12).getTime()]]);
});

it("Escape leaves the date as it is and returns the focus", async () => {
  const { onPick, text } = await open();
  fireEvent.change(text, { target: { value: "7d" } });
  fireEvent.keyDown(text, { key: "Escape" });
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(onPick).not.toHaveBeenCalled();
  expect(document.activeElement).toBe(screen.getByRole("button", { name: /^From/ }));
});

it("takes no day after the last one", async () => {
  const { onPick, box, text } = await open({ by: "day", max: NOON });
  expect(box.getByRole("button", { name: "Thursday, November 19, 2026" })).toHaveProperty("disabled", true);
  fireEvent.change(text, { target: { value: "2026-11-19" } });
  fireEvent.submit(text);
  expect(box.getByText("Must not be after 2026-11-18")).toBeTruthy();
  fireEvent.click(box.getByRole("button", { name: "Tuesday, November 17, 2026" }));
  expect(onPick.mock.calls).toEqual([[new Date(2026, 10, 17).getTime()]]);
});

it("a date may be taken back where none is a choice too", async () => {
  const { onPick, box } = await open({ clearable: true });
  fireEvent.click(box.getByRole("button", { name: "Clear" }));
  expect(onPick.mock.calls).toEqual([[null]]);
});
