// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { type ReactNode, Suspense } from "react";
import { describe, expect, it } from "vitest";
import { findViolations } from "@/app/_kit/axe.test-support";
import { type FakeProcedures, fakeApi } from "@/app/_kit/fake-api.test-support";
import type { Eval, EvalRunDetail } from "@/lib/contract/eval";
import { CandidateList } from "./eval-suite/candidate-list";
import { EditedRuns } from "./eval-suite/edited-runs";
import { EVAL_SUITE } from "./eval-suite.test-support";
import { CompareRunsView } from "./run/compare-runs-view";
import { RunView } from "./run/run-view";
import { SuiteView } from "./suite-view";

const EVAL: Eval = {
  id: "eval_1",
  suite: "shop",
  question: "Where is my parcel?",
  expected: ["get_order"],
  forbidden: [],
  toolset: null,
  context: [],
  origin: null,
  createdAt: 0,
  lastEdit: { revision: 3, by: null, at: 0 },
};
const attempt = (item: string, round: number, reason: string | null, runId: string | null) => ({
  item,
  round,
  passed: reason === null,
  reason,
  called: reason === null ? ["get_order"] : ["list_orders"],
  runId,
  runStatus: runId === null ? null : ("succeeded" as const),
  durationMs: 900,
  inputTokens: 10,
  outputTokens: 2,
});
const RUN: EvalRunDetail = {
  kind: "evals",
  id: "evalrun_1",
  seq: 1,
  name: "shop",
  suite: "shop",
  trigger: "manual",
  actor: { id: "ada", name: "Ada" },
  provider: "local",
  model: "qwen",
  offering: "direct",
  edited: null,
  status: "running",
  rounds: 2,
  startedAt: 1_790_000_000_000,
  finishedAt: null,
  passed: 1,
  done: 2,
  total: 4,
  inputTokens: 20,
  outputTokens: 4,
  cost: null,
  error: null,
  items: [
    { id: "eval_1", title: "Where is my parcel?", description: "get_order", expected: ["get_order"] },
    { id: "eval_2", title: "Thanks", description: "No call", expected: [] },
  ],
  attempts: [attempt("eval_1", 1, null, null), attempt("eval_2", 1, "The model called list_orders.", "run_2")],
};

function server(more: FakeProcedures = {}): FakeProcedures {
  return {
    "models.providers": () => ({
      items: [{ name: "local", kind: "openai-compatible", problem: null, models: ["qwen"], prices: [] }],
    }),
    "models.choices": () => ({ items: [{ provider: "local", model: "qwen", kind: "openai-compatible" }] }),
    "models.available": () => ({ models: ["qwen"], problem: null }),
    "toolsets.list": () => [],
    "suites.list": () => [EVAL_SUITE],
    "suites.get": () => EVAL_SUITE,
    "suites.evals": () => [EVAL, { ...EVAL, id: "eval_2", question: "Thanks" }],
    "suites.getRun": () => RUN,
    "suites.candidates": () => [],
    "suites.runs": () => ({ items: [RUN, { ...RUN, id: "evalrun_0", seq: 0 }], nextCursor: null }),
    ...more,
  };
}

const inPage = (view: ReactNode) => <Suspense fallback={null}>{view}</Suspense>;

describe("a suite of evals", () => {
  it("starts runs with each model and offering, says beforehand how many attempts that is, and axe finds nothing", async () => {
    const api = fakeApi(server({ "suites.run": () => RUN }));
    api.render(inPage(<SuiteView name="shop" />));
    await screen.findByText("Where is my parcel?");
    expect(await findViolations()).toEqual([]);
    fireEvent.click(screen.getByRole("button", { name: "Run with a model" }));
    const dialog = await screen.findByRole("dialog", { name: "Run shop" });
    fireEvent.change(await within(dialog).findByRole("combobox", { name: /Models/ }), {
      target: { value: "qwen, llama" },
    });
    fireEvent.click(within(dialog).getByRole("radio", { name: "Both" }));
    await within(dialog).findByText(/2 evals × 3 × 4 = 24 attempts/);
    const rounds = within(dialog).getByRole("textbox", { name: /Rounds/ });
    fireEvent.change(rounds, { target: { value: "21" } });
    const start = within(dialog).getByRole("button", { name: "Start run" });
    expect(start.hasAttribute("disabled")).toBe(true);
    fireEvent.change(rounds, { target: { value: "1" } });
    fireEvent.click(start);
    // Several runs are followed on the suite's page, which lists them.
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(api.visited).toEqual([]);
    const started = api.calls.filter(({ path }) => path === "suites.run").map(({ input }) => input);
    expect(started).toMatchObject([
      { name: "shop", provider: "local", model: "qwen", rounds: 1, offering: "direct" },
      { model: "qwen", offering: "discovery" },
      { model: "llama", offering: "direct" },
      { model: "llama", offering: "discovery" },
    ]);
  });

  it("changes an eval from the revision that was seen", async () => {
    const api = fakeApi(server({ "suites.updateEval": () => EVAL }));
    api.render(inPage(<SuiteView name="shop" />));
    fireEvent.click(await screen.findByRole("button", { name: "Edit: Where is my parcel?" }));
    const dialog = await screen.findByRole("dialog", { name: "Edit eval" });
    fireEvent.change(within(dialog).getByRole("textbox", { name: /Forbidden/ }), { target: { value: "a, b" } });
    fireEvent.click(within(dialog).getByRole("button", { name: "Save" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(api.calls.find(({ path }) => path === "suites.updateEval")?.input).toMatchObject({
      id: "eval_1",
      revision: 3,
      eval: { suite: "shop", expected: ["get_order"], forbidden: ["a", "b"], toolset: null },
    });
  });
});

describe("a run of evals", () => {
  it("shows each attempt, why one failed, what is to come, and axe finds nothing", async () => {
    const api = fakeApi(server({ "suites.cancelRun": () => ({ cancelled: true }) }));
    api.render(inPage(<RunView id="evalrun_1" />));
    const link = await screen.findByRole("link", { name: "Thanks, round 1: failed, transcript" });
    expect(link.getAttribute("href")).toBe("/runs/run_2");
    expect(screen.getByText("The model called list_orders.")).toBeDefined();
    expect(screen.getAllByText("pending")).toHaveLength(2);
    expect(screen.getByRole("progressbar").getAttribute("value")).toBe("2");
    expect(await findViolations()).toEqual([]);
    fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
    await screen.findByRole("button", { name: "Cancelling…" });
  });

  it("is compared with another one eval by eval, and says whether chance explains the difference", async () => {
    const better = {
      ...RUN,
      id: "evalrun_2",
      status: "finished",
      passed: 2,
      attempts: RUN.attempts.map((each) => ({ ...each, passed: true, called: ["get_order"] })),
    };
    const api = fakeApi(server({ "suites.getRun": ({ id }: { id: string }) => (id === "evalrun_2" ? better : RUN) }));
    api.render(inPage(<CompareRunsView leftId="evalrun_1" rightId="evalrun_2" />));
    expect((await screen.findByRole("status")).textContent).toContain("may be chance");
    const row = screen.getByText("Thanks").closest("tr") as HTMLElement;
    expect(row.textContent).toContain("0 / 1");
    expect(row.textContent).toContain("better");
    expect(row.textContent).toContain("first called list_orders, second get_order");
    expect(await findViolations()).toEqual([]);
  });
});

it("a candidate becomes an eval with its conversation once a user confirms it", async () => {
  const origin = { runId: "run_1", step: 2 };
  const candidate = {
    origin,
    runTitle: "Where is it?",
    at: 0,
    question: "Where is it?",
    called: ["get_order"],
    hasFailed: true,
    toolset: "support",
    contextMessages: 2,
  };
  const context = [{ role: "user", contents: [{ type: "text", text: "Where is it?" }] }];
  const api = fakeApi(
    server({
      "suites.candidates": () => [candidate],
      "suites.candidate": () => ({ ...candidate, context }),
      "suites.addEval": () => EVAL,
    }),
  );
  api.render(inPage(<CandidateList suite="shop" />));
  fireEvent.click(await screen.findByRole("button", { name: "Make eval…" }));
  const dialog = await screen.findByRole("dialog", { name: "Add eval" });
  fireEvent.click(within(dialog).getByRole("button", { name: "Add" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(api.calls.find(({ path }) => path === "suites.addEval")?.input).toMatchObject({
    suite: "shop",
    question: "Where is it?",
    expected: ["get_order"],
    toolset: "support",
    origin,
    context,
  });
});

it("in the editor a suite can be run with the edit before it is saved", async () => {
  const api = fakeApi(server({}));
  api.render(inPage(<EditedRuns definitionText='{"name":"list_orders"}' editing="list_orders" />));
  fireEvent.click(await screen.findByRole("button", { name: "Run shop with this edit…" }));
  expect(await screen.findByRole("dialog", { name: "Run shop" })).toBeDefined();
});
