// @vitest-environment happy-dom
import { fireEvent, screen, within } from "@testing-library/react";
import { Suspense } from "react";
import { expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { SpendGroup, SpendInput, SpendReport } from "@/lib/contract/spend";
import { SpendView } from "./spend-view";

const ASKED_AT = Date.parse("2026-11-30T12:00:00Z");

const GROUPS: Partial<Record<SpendInput["by"], SpendGroup[]>> = {
  tool: [{ value: "pay,now", name: "pay,now", tools: 0.3, models: 0, calls: 3 }],
  user: [{ value: "u1", name: "Ada", tools: 0.3, models: 1.25, calls: 4 }],
};

function open(changes: Partial<SpendReport> = {}, search = "") {
  const api = fakeApi(
    {
      "spend.read": ({ from, to, by }: SpendInput): SpendReport => ({
        from: from ?? "",
        to: to ?? "",
        isOwn: false,
        total: { tools: 0.3, models: 1.25, calls: 4 },
        days: [
          { day: "2026-11-29", tools: 0, models: 0 },
          { day: "2026-11-30", tools: 0.3, models: 1.25 },
        ],
        groups: GROUPS[by] ?? [],
        ...changes,
      }),
    },
    search,
  );
  api.render(
    <Suspense>
      <SpendView askedAt={ASKED_AT} />
    </Suspense>,
  );
  return api;
}

it("sums the days up to today by tool, and leads to the calls with a price", async () => {
  const api = open();
  const link = await screen.findByRole("link", { name: "pay,now" });
  expect(new URL(link.getAttribute("href") ?? "", "http://t").searchParams.get("tool")).toBe("pay%2Cnow");
  expect(screen.getByText("$1.55")).toBeDefined();
  expect(api.calls.at(-1)?.input).toEqual({ from: "2026-11-01", to: "2026-11-30", by: "tool" });
});

it("sums by what is chosen, and over the time that is chosen", async () => {
  const api = open({}, "?days=7");
  await screen.findByRole("link", { name: "pay,now" });
  fireEvent.change(screen.getByRole("combobox", { name: "Sum by" }), { target: { value: "user" } });
  const table = await screen.findByRole("table", { name: "Spend" });
  expect(await within(table).findByRole("link", { name: "Ada" })).toBeDefined();
  expect(within(table).getByText("$1.25")).toBeDefined();
  expect(api.calls.at(-1)?.input).toEqual({ from: "2026-11-24", to: "2026-11-30", by: "user" });
});

it("says where nothing had a price, and that others' spend is for admins", async () => {
  open({ isOwn: true, total: { tools: 0, models: 0, calls: 0 }, groups: [] });
  expect(await screen.findByRole("heading", { name: "No spend in this time" })).toBeDefined();
  expect(screen.getByText(/Only your own: others' spend is for admins/)).toBeDefined();
});
