// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { Suspense } from "react";
import { expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { AlertsView } from "./alerts-view";

function openAlerts(search: string) {
  const api = fakeApi(
    {
      "alerts.rules": () => [],
      "alerts.history": () => ({ items: [], nextCursor: null }),
      "alerts.preview": () => ({ days: 7, fired: 2, points: [], rebuilding: false }),
      "alerts.createRule": ({ rule }: { rule: object }) => rule,
      "tools.suggest": () => [{ name: "charge" }],
    },
    search,
  );
  api.render(
    <Suspense>
      <AlertsView />
    </Suspense>,
  );
  return api;
}

it("the link of a tool's statistics opens a new rule about this tool", async () => {
  const api = openAlerts("?tool=charge");
  const dialog = within(await screen.findByRole("dialog", { name: "Add alert rule" }));
  expect(await dialog.findByText("In the last 7 days this rule would have fired 2 times.")).toBeDefined();
  fireEvent.click(dialog.getByRole("button", { name: "Add" }));
  await waitFor(() => expect(api.calls.some(({ path }) => path === "alerts.createRule")).toBe(true));
  const rule = { name: "charge fails", kind: "failure_rate", tool: "charge", each: null };
  const sent = api.calls.find(({ path }) => path === "alerts.createRule")?.input;
  expect(sent).toMatchObject({ rule });
  expect(sent).not.toHaveProperty("rule.server");
  await waitFor(() => expect(api.searches.at(-1)).toBe(""));
});

it("a rule about calls can be about each tool, server or client, one about servers cannot", async () => {
  const api = openAlerts("");
  fireEvent.click(await screen.findByRole("button", { name: "Add rule" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Add alert rule" }));
  const scope = dialog.getByLabelText("Applies to");
  const listOptions = () => [...scope.querySelectorAll("option")].map(({ textContent }) => textContent);
  expect(listOptions()).toEqual([
    "All calls together",
    "Each tool",
    "Each server",
    "Each client",
    "One server",
    "One tool",
  ]);
  fireEvent.change(scope, { target: { value: "each-client" } });
  fireEvent.change(dialog.getByLabelText(/^Name/), { target: { value: "Clients" } });
  fireEvent.change(dialog.getByLabelText("Alert on"), { target: { value: "invalid_rate" } });
  fireEvent.click(dialog.getByRole("button", { name: "Add" }));
  await waitFor(() => expect(api.calls.some(({ path }) => path === "alerts.createRule")).toBe(true));
  const sent = api.calls.find(({ path }) => path === "alerts.createRule")?.input;
  expect(sent).toMatchObject({ rule: { kind: "invalid_rate", each: "client" } });
  expect(sent).not.toHaveProperty("rule.tool");
  expect(sent).not.toHaveProperty("rule.server");
});

it("choosing a rule about servers gives up a scope that it does not have", async () => {
  openAlerts("");
  fireEvent.click(await screen.findByRole("button", { name: "Add rule" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Add alert rule" }));
  const scope = dialog.getByLabelText<HTMLSelectElement>("Applies to");
  fireEvent.change(scope, { target: { value: "each-server" } });
  fireEvent.change(dialog.getByLabelText("Alert on"), { target: { value: "server_down" } });
  expect(scope.value).toBe("all");
  expect([...scope.querySelectorAll("option")].map(({ value }) => value)).toEqual(["all", "server"]);
});
