// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { Suite } from "@/lib/contract/suite";
import { EVAL_SUITE } from "./eval-suite.test-support";
import { SuiteDialog } from "./summary/suite-dialog";

const MODELS = { items: [{ name: "local" }] };
const EVALS = EVAL_SUITE as Suite;
const TESTS: Suite = { ...EVALS, kind: "tests", name: "shop", approvals: "ask", schedule: { everyMs: 600_000 } };

async function openSettings(suite: Suite) {
  const api = fakeApi({ "models.providers": () => MODELS, "suites.update": () => suite });
  api.render(<SuiteDialog suite={suite} onClose={() => undefined} />);
  const dialog = within(await screen.findByRole("dialog", { name: "Suite settings" }));
  const fill = (name: RegExp, value: string) =>
    fireEvent.change(dialog.getByRole("textbox", { name }), { target: { value } });
  const save = () => fireEvent.click(dialog.getByRole("button", { name: "Save" }));
  const findSent = () =>
    waitFor(() => {
      const sent = api.calls.find(({ path }) => path === "suites.update");
      if (sent === undefined) throw new Error("nothing was saved");
      return (sent.input as { suite: object }).suite;
    });
  return { dialog, fill, save, findSent, api };
}

describe("the settings of a suite", () => {
  it("keeps an interval that is not touched, and what is switched off is sent as such", async () => {
    const { dialog, save, findSent } = await openSettings(TESTS);
    expect(dialog.getByRole("textbox", { name: /Minutes/ })).toHaveProperty("value", "10");
    fireEvent.click(dialog.getByRole("checkbox", { name: "Ask for approval" }));
    save();
    expect(await findSent()).toMatchObject({ schedule: { everyMs: 600_000 }, approvals: "refuse", runWith: null });
  });

  it("sends no schedule that cannot be read, and the chosen one alone", async () => {
    const { dialog, fill, save, findSent, api } = await openSettings(TESTS);
    fireEvent.click(dialog.getByRole("radio", { name: "Cron" }));
    fill(/Cron/, "at dawn");
    save();
    await dialog.findByText(/^The expression /);
    expect(api.calls.some(({ path }) => path === "suites.update")).toBe(false);
    fill(/Cron/, "0 7 * * *");
    fill(/zone/, "Europe/Oslo");
    save();
    expect(await findSent()).toMatchObject({ schedule: { cron: "0 7 * * *", timeZone: "Europe/Oslo" } });
  });

  it("a suite of evals has a model in place of calls, or that of the last run", async () => {
    const { dialog, fill, save, findSent } = await openSettings(EVALS);
    expect(dialog.queryByRole("textbox", { name: /Calls at once/ })).toBeNull();
    await dialog.findByRole("option", { name: "local" });
    fireEvent.change(dialog.getByRole("combobox", { name: "Provider" }), { target: { value: "local" } });
    fill(/Model/, "qwen");
    save();
    expect(await findSent()).toMatchObject({
      schedule: null,
      runWith: { provider: "local", model: "qwen", rounds: 3, offering: "direct" },
    });
  });
});
