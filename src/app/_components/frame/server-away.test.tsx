// @vitest-environment happy-dom
import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { setReconnect, setServerReach } from "@/app/_ui/server-reach";
import { ServerAway } from "./frame";

afterEach(() => {
  setReconnect(() => undefined);
  act(() => setServerReach({ state: "here" }));
});

it("EXE-06 says on every page that the server does not answer, when it is tried next, and tries now on request", () => {
  const reconnect = vi.fn();
  setReconnect(reconnect);
  render(<ServerAway />);
  act(() => setServerReach({ state: "lost" }));
  expect(screen.queryByRole("alert")).toBeNull();
  act(() => setServerReach({ state: "away", retryAt: Date.now() + 4_000 }));
  expect(screen.getByRole("alert").textContent).toContain("This page shows what was read last.");
  expect(screen.getByText(/^Next try in [45] s$/)).toBeTruthy();
  act(() => setServerReach({ holdsPage: true }));
  expect(screen.getByRole("alert").textContent).toContain("The page you chose opens when it is back.");
  fireEvent.click(screen.getByRole("button", { name: "Try now" }));
  expect(reconnect).toHaveBeenCalledOnce();
  act(() => setServerReach({ state: "here" }));
  expect(screen.queryByRole("alert")).toBeNull();
});
