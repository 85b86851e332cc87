// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { Suspense } from "react";
import { describe, expect, it } from "vitest";
import { findViolations } from "@/app/_kit/axe.test-support";
import { type FakeProcedures, fakeApi, refusal } from "@/app/_kit/fake-api.test-support";
import type { ModelProviderSummary } from "@/lib/contract/model";
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
function server(more: FakeProcedures = {}): FakeProcedures {
  return {
    "models.providers": () => ({ items: [DEMO, CLAUDE, LOCAL] }),
    "models.choices": () => ({ items: [{ provider: "local", model: "qwen", kind: "openai-compatible" }] }),
    "models.available": () => ({ models: ["qwen", "llama"], problem: null }),
    ...more,
  };
}

const page = (
  <Suspense fallback={null}>
    <h1>Settings</h1>
    <ModelsView />
  </Suspense>
);

describe("the page of the models", () => {
  it("says of each provider where its key comes from, offers changes only where they are possible, and axe finds nothing", async () => {
    fakeApi(server()).render(page);
    const claude = await screen.findByRole("listitem", { name: "anthropic" });
    expect(within(claude).getByText("environment variable ANTHROPIC_API_KEY")).toBeDefined();
    expect(within(claude).queryByRole("button", { name: "Edit anthropic" })).toBeNull();
    expect(within(screen.getByRole("listitem", { name: "demo" })).getByText(/Not a language model/)).toBeDefined();
    expect(screen.getByRole("button", { name: "Edit local" })).toBeDefined();
    expect(await findViolations()).toEqual([]);
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
    expect(await findViolations(screen.getByRole("dialog"))).toEqual([]);
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
});
