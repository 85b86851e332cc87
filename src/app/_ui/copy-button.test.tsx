// @vitest-environment happy-dom
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { CopyButton } from "./copy-button";

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("shows the outcome of the last press for its whole time, also after an earlier press", async () => {
  vi.useFakeTimers();
  vi.stubGlobal("navigator", { clipboard: { writeText: async () => undefined } });
  render(<CopyButton text="x" label="Copy x" />);
  const press = () => act(async () => screen.getByRole("button").click());
  const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  await press();
  await wait(1_000);
  await press();
  await wait(1_000);
  expect(screen.getByRole("status").textContent).toBe("Copied");
  await wait(1_000);
  expect(screen.getByRole("status").textContent).toBe("");
});
