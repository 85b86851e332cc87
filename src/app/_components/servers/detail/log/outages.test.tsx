// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import axe from "axe-core";
import { expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ServerOutage } from "@/lib/contract/alert";
import { Outages } from "./outages";

const MINUTE = 60_000;
const NOW = Date.now();

it("MCP-02 says how often and how long a server was away, and opens while it is", async () => {
  const outages: ServerOutage[] = [
    { status: "failed", startedAt: NOW - 5 * MINUTE, endedAt: null },
    { status: "disconnected", startedAt: NOW - 90 * MINUTE, endedAt: NOW - 60 * MINUTE },
  ];
  const { container } = fakeApi({ "alerts.outages": () => outages }).render(<Outages name="files" />);
  const list = await screen.findByRole("list", { name: "Outages" });
  expect(list.textContent).toMatch(/still away.*failed.*30 min.*disconnected/s);
  expect(list.closest("details")?.open).toBe(true);
  expect(screen.getByText(/2 outages in the last 30 days/).textContent).toMatch(/35 min/);
  expect((await axe.run(container)).violations).toEqual([]);
});

it("says nothing about a server that was always connected", async () => {
  const api = fakeApi({ "alerts.outages": () => [] });
  const { container } = api.render(<Outages name="files" />);
  await waitFor(() => expect(api.calls.filter(({ path }) => path === "alerts.outages")).toHaveLength(1));
  expect(container.textContent).toBe("");
});
