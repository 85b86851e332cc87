// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { expect, it } from "vitest";
import { serverDetail } from "@/app/_components/servers/summary/server.test-support";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ConformanceCheck, ConformanceRunDetail, ConformanceSuite } from "@/lib/contract/conformance";
import { ConformanceTab } from "./conformance-tab";

const SUITE: ConformanceSuite = { version: "0.2.0", state: "installed", reason: null };
const check = (id: string, outcome: ConformanceCheck["outcome"], message: string | null = null): ConformanceCheck => ({
  id,
  group: "oauth",
  title: `Title of ${id}`,
  outcome,
  message,
});

const RUN: ConformanceRunDetail = {
  id: "conf_2",
  server: "files",
  parts: "all",
  status: "finished",
  actor: { id: "ada", name: "Ada" },
  startedAt: 2_000,
  finishedAt: 5_000,
  step: null,
  error: null,
  versions: { toolroom: "1.0.0", suite: "0.2.0", protocol: ["2025-11-25"], server: "files 2.0.0" },
  counts: { failed: 2, warning: 1, passed: 2, skipped: 0 },
  newFailures: 1,
  checks: [
    check("a/passed", "passed"),
    check("a/fixed", "passed"),
    check("a/old", "failed", "<b>still</b>"),
    check("a/new", "failed", "now"),
    check("a/warned", "warning"),
  ],
  comparison: { before: "conf_1", newFailures: ["a/new"], fixed: ["a/fixed"] },
};
const EARLIER = { ...RUN, id: "conf_1", startedAt: 1_000, checks: [check("a/first", "passed")], comparison: null };

function renderTab(part: { runs?: ConformanceRunDetail[]; suite?: ConformanceSuite; role?: "editor" | "admin" } = {}) {
  const runs = part.runs ?? [RUN, EARLIER];
  const api = fakeApi(
    {
      "conformance.list": () => runs,
      "conformance.get": ({ id }: { id: string }) => runs.find((run) => run.id === id),
      "conformance.suite": () => part.suite ?? SUITE,
      "conformance.start": () => ({ ...RUN, status: "running" }),
      "conformance.cancel": () => ({ cancelled: true }),
    },
    "",
    "live",
    part.role ?? "admin",
  );
  return { api, view: api.render(<ConformanceTab server={serverDetail()} />) };
}

const rows = () => screen.getAllByRole("row").slice(1);

it("shows failures first, what is new and what is fixed, and the texts of a server as text", async () => {
  const { view } = renderTab();
  await screen.findByText("1 new failure, 1 fixed since the run before");
  expect(rows().map((row) => /a\/(?:old|new|warned|passed|fixed)/.exec(row.textContent ?? "")?.[0])).toEqual([
    "a/old",
    "a/new",
    "a/warned",
    "a/passed",
    "a/fixed",
  ]);
  expect(screen.getByText("<b>still</b>")).toBeTruthy();
  expect(within(rows()[1] as HTMLElement).getByText("new")).toBeTruthy();
  expect((await axe.run(view.container)).violations).toEqual([]);
});

it("filters by outcome and by change, in the address", async () => {
  const { api } = renderTab();
  fireEvent.click(await screen.findByRole("radio", { name: "Changed 2" }));
  expect(rows()).toHaveLength(2);
  fireEvent.click(screen.getByRole("radio", { name: "Failed 2" }));
  expect(rows()).toHaveLength(2);
  await waitFor(() => expect(api.searches.at(-1)).toContain("outcome=failed"));
});

it("opens an earlier run", async () => {
  renderTab();
  fireEvent.change(await screen.findByRole("combobox", { name: "Run" }), { target: { value: "conf_1" } });
  expect(await screen.findByText("Title of a/first")).toBeTruthy();
});

it("starts the chosen checks", async () => {
  const { api } = renderTab({ runs: [] });
  await screen.findByText("No runs yet");
  fireEvent.change(screen.getByRole("combobox", { name: "Checks" }), { target: { value: "own" } });
  fireEvent.click(screen.getByRole("button", { name: "Run checks" }));
  await waitFor(() =>
    expect(api.calls.find(({ path }) => path === "conformance.start")?.input).toEqual({ name: "files", parts: "own" }),
  );
});

it("lets editors run what needs no download, and says who may download the suite", async () => {
  renderTab({ runs: [], role: "editor", suite: { ...SUITE, state: "missing" } });
  await screen.findByText(/downloads it from npm, which needs the role admin/);
  const button = screen.getByRole("button", { name: "Run checks" });
  expect(button.getAttribute("aria-disabled") ?? button.hasAttribute("disabled")).toBeTruthy();
  fireEvent.change(screen.getByRole("combobox", { name: "Checks" }), { target: { value: "own" } });
  const own = screen.getByRole("button", { name: "Run checks" });
  expect(own.getAttribute("aria-disabled") === "true" || own.hasAttribute("disabled")).toBe(false);
});

it("says why the suite cannot run, and offers the checks without it", async () => {
  renderTab({ runs: [], suite: { ...SUITE, state: "unsupported", reason: "It needs Node 22" } });
  await screen.findByText("It needs Node 22");
  expect((screen.getByRole("combobox", { name: "Checks" }) as HTMLSelectElement).value).toBe("own");
});

it("shows what a running one does, and cancels it", async () => {
  const running = { ...RUN, status: "running" as const, step: "Official suite: ping", finishedAt: null, checks: [] };
  const { api } = renderTab({ runs: [running] });
  await screen.findByText("Official suite: ping…");
  fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(api.calls.some(({ path }) => path === "conformance.cancel")).toBe(true));
});
