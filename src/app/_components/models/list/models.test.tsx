// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { Suspense } from "react";
import { describe, expect, it } from "vitest";
import { CheckView } from "@/app/_components/models/checks/check-view";
import { type FakeProcedures, fakeApi, refusal } from "@/app/_kit/fake-api.test-support";
import type { ModelCheckDetail, ModelProviderSummary, ModelScenario } from "@/lib/contract/model";
import { ModelsView } from "./models-view";

const DEMO: ModelProviderSummary = {
  name: "demo",
  kind: "demo",
  origin: "built-in",
  baseUrl: null,
  key: { state: "none", variable: null },
  models: ["demo"],
  prices: [],
  problem: null,
};
const CLAUDE: ModelProviderSummary = {
  name: "anthropic",
  kind: "anthropic",
  origin: "environment",
  baseUrl: null,
  key: { state: "environment", variable: "ANTHROPIC_API_KEY" },
  models: ["claude-sonnet"],
  prices: [{ model: "claude-sonnet", input: 3, output: 15 }],
  problem: null,
};
const LOCAL: ModelProviderSummary = {
  ...CLAUDE,
  name: "local",
  kind: "openai-compatible",
  origin: "console",
  baseUrl: "http://127.0.0.1:8000/v1",
  key: { state: "stored", variable: null },
  models: ["qwen"],
  prices: [],
};
const SCENARIOS: ModelScenario[] = [
  { id: "one_call", title: "One call", description: "Calls one tool and uses what it answers." },
  { id: "no_call", title: "No call", description: "Answers without a tool." },
];
const CHECK: ModelCheckDetail = {
  id: "check_1",
  seq: 1,
  provider: "local",
  model: "qwen",
  status: "running",
  rounds: 2,
  startedAt: 1_790_000_000_000,
  finishedAt: null,
  passed: 1,
  done: 2,
  total: 4,
  validated: false,
  error: null,
  scenarios: SCENARIOS,
  attempts: [
    {
      scenario: "one_call",
      round: 1,
      passed: true,
      reason: null,
      runId: "run_1",
      runStatus: "succeeded",
      durationMs: 900,
    },
    {
      scenario: "no_call",
      round: 1,
      passed: false,
      reason: "It called get_weather.",
      runId: "run_2",
      runStatus: "succeeded",
      durationMs: 400,
    },
  ],
};

function server(more: FakeProcedures = {}): FakeProcedures {
  return {
    "models.providers": () => ({ items: [DEMO, CLAUDE, LOCAL] }),
    "models.choices": () => ({ items: [{ provider: "local", model: "qwen", kind: "openai-compatible", check: null }] }),
    "models.available": () => ({ models: ["qwen", "llama"], problem: null }),
    "modelChecks.scenarios": () => SCENARIOS,
    "modelChecks.list": () => ({ items: [CHECK], nextCursor: null }),
    "modelChecks.get": () => CHECK,
    ...more,
  };
}

const page = (
  <Suspense fallback={null}>
    <h1>Settings</h1>
    <ModelsView />
  </Suspense>
);

async function violations(root: HTMLElement = document.body): Promise<string[]> {
  const found = await axe.run(root, {
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
  });
  return found.violations.map(({ id }) => id);
}

describe("the page of the models", () => {
  it("says of each provider where its key comes from, offers changes only where they are possible, and axe finds nothing", async () => {
    fakeApi(server()).render(page);
    const claude = await screen.findByRole("listitem", { name: "anthropic" });
    expect(within(claude).getByText("environment variable ANTHROPIC_API_KEY")).toBeDefined();
    expect(within(claude).queryByRole("button", { name: "Edit anthropic" })).toBeNull();
    expect(within(screen.getByRole("listitem", { name: "demo" })).getByText(/Not a language model/)).toBeDefined();
    expect(screen.getByRole("button", { name: "Edit local" })).toBeDefined();
    expect(screen.getByRole("link", { name: "local / qwen" }).getAttribute("href")).toBe(
      "/settings/models/checks/check_1",
    );
    expect(await violations()).toEqual([]);
  });

  it("shows what a test came to in its place", async () => {
    fakeApi(server({ "models.testProvider": () => ({ ok: false, message: "401: invalid key", models: [] }) })).render(
      page,
    );
    fireEvent.click(await screen.findByRole("button", { name: "Test local" }));
    await screen.findByText(/401: invalid key/);
    expect(within(screen.getByRole("listitem", { name: "local" })).getByText("Connection failed.")).toBeDefined();
  });

  it("keeps a stored key by not sending one, and puts a refusal beside the field that it names", async () => {
    const rejectUpdate = () => {
      throw refusal({ path: "provider.baseUrl", message: "must be an http or https URL" });
    };
    const api = fakeApi(server({ "models.updateProvider": rejectUpdate }));
    api.render(page);
    fireEvent.click(await screen.findByRole("button", { name: "Edit local" }));
    const address = await screen.findByRole("textbox", { name: /Base URL/ });
    expect(screen.getByText("•••••• stored")).toBeDefined();
    fireEvent.change(address, { target: { value: "ftp://x" } });
    fireEvent.click(screen.getByRole("button", { name: "Save" }));
    await screen.findByText("must be an http or https URL");
    expect(address.getAttribute("aria-invalid")).toBe("true");
    const sent = api.calls.find(({ path }) => path === "models.updateProvider")?.input;
    expect(sent).toEqual({
      name: "local",
      provider: { name: "local", kind: "openai-compatible", baseUrl: "ftp://x", models: ["qwen"], prices: [] },
    });
    expect(await violations(screen.getByRole("dialog"))).toEqual([]);
  });

  it("names a new provider after its kind until the name is edited", async () => {
    fakeApi(server()).render(page);
    fireEvent.click(await screen.findByRole("button", { name: "Add provider" }));
    const kind = await screen.findByRole("combobox", { name: /^Kind/ });
    const name = screen.getByRole<HTMLInputElement>("textbox", { name: /^Name/ });
    fireEvent.change(kind, { target: { value: "ollama" } });
    expect(name.value).toBe("ollama");
    fireEvent.change(name, { target: { value: "work" } });
    fireEvent.change(kind, { target: { value: "openai" } });
    expect(name.value).toBe("work");
  });

  it("asks before a provider is deleted", async () => {
    const api = fakeApi(server({ "models.deleteProvider": ({ name }: { name: string }) => ({ name }) }));
    api.render(page);
    fireEvent.click(await screen.findByRole("button", { name: "Delete local" }));
    const dialog = await screen.findByRole("dialog", { name: "Delete local?" });
    expect(api.calls.some(({ path }) => path === "models.deleteProvider")).toBe(false);
    fireEvent.click(within(dialog).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(api.calls.find(({ path }) => path === "models.deleteProvider")?.input).toEqual({ name: "local" });
  });

  it("starts a check with what is chosen, says beforehand how many runs that is, and goes to it", async () => {
    const api = fakeApi(server({ "modelChecks.start": () => CHECK }));
    api.render(page);
    fireEvent.click(await screen.findByRole("button", { name: "Check a model" }));
    const dialog = await screen.findByRole("dialog", { name: "Check a model" });
    await within(dialog).findByText(/2 scenarios × 3 = 6 runs/);
    const rounds = within(dialog).getByRole("spinbutton", { name: /Rounds/ });
    fireEvent.change(rounds, { target: { value: "21" } });
    const start = within(dialog).getByRole("button", { name: "Start check" });
    expect(start.hasAttribute("disabled")).toBe(true);
    fireEvent.change(rounds, { target: { value: "5" } });
    fireEvent.click(start);
    await waitFor(() => expect(api.visited).toEqual(["/settings/models/checks/check_1"]));
    expect(api.calls.find(({ path }) => path === "modelChecks.start")?.input).toEqual({
      provider: "local",
      model: "qwen",
      rounds: 5,
    });
  });
});

describe("the page of a model check", () => {
  it("shows each attempt with the way to its transcript, why one failed, what is to come, and axe finds nothing", async () => {
    const api = fakeApi(server({ "modelChecks.cancel": () => ({ cancelled: true }) }));
    api.render(
      <Suspense fallback={null}>
        <CheckView id="check_1" />
      </Suspense>,
    );
    const link = await screen.findByRole("link", { name: "No call, round 1: failed, transcript" });
    expect(link.getAttribute("href")).toBe("/runs/run_2");
    expect(screen.getByText("It called get_weather.")).toBeDefined();
    expect(screen.getAllByText("pending")).toHaveLength(2);
    expect(screen.getByRole("progressbar").getAttribute("value")).toBe("2");
    expect(await violations()).toEqual([]);
    fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
    await screen.findByRole("button", { name: "Cancelling…" });
  });
});
