// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { ConnectionIndicator } from "./top-bar";

it("EXE-06 the indicator shows when the page receives live updates", async () => {
  fakeApi({}).render(<ConnectionIndicator />);
  expect(await screen.findByText("live")).toBeTruthy();
});

it("EXE-06 the indicator says when the page only refreshes at intervals, and why", async () => {
  fakeApi({}, "", "polling").render(<ConnectionIndicator />);
  await screen.findByText("refreshing every 15 s");
  expect(screen.getByTitle(/Too many open tabs/)).toBeTruthy();
});
