// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { CallExplanation } from "@/lib/contract/rule-explanation";
import { TryCall } from "./try-call";

const LIMITED = {
  id: "rule_1",
  name: "Ten an hour",
  position: 1,
  effect: {
    kind: "limit",
    measure: "calls",
    most: 10,
    minutes: 60,
    per: ["user"],
    action: "deny",
    approver: "always",
    waitSeconds: 60,
  },
  recordOnly: false,
  step: "match",
  notEvaluated: false,
  decides: false,
  values: { "args.amount": 900 },
  limit: {
    parts: [{ of: "user", value: "ada" }],
    measure: "calls",
    used: 4,
    most: 10,
    left: 6,
    minutes: 60,
    freeAt: null,
  },
} satisfies CallExplanation["rules"][number];

const ANSWER: CallExplanation = {
  outcome: "asks",
  runs: null,
  by: "Large payments",
  message: null,
  approver: "admin",
  problems: [],
  caller: { id: "ada", name: "Ada", role: "operator" },
  source: "gateway",
  rules: [
    LIMITED,
    {
      ...LIMITED,
      id: "rule_2",
      name: "Large payments",
      position: 2,
      effect: { kind: "ask", approver: "admin" },
      decides: true,
      limit: undefined,
    },
    {
      ...LIMITED,
      id: "rule_3",
      name: "Night",
      position: 3,
      effect: { kind: "deny", reason: "no" },
      step: "not_reached",
      limit: undefined,
    },
  ],
  settings: [{ tool: "pay", of: "policy", says: "allow", decides: false }],
};

const definition = {
  name: "pay",
  description: "Pays",
  type: "function",
  handler: "pay",
  parameters: { type: "object", properties: { amount: { type: "integer" } } },
  implementation: { type: "mock", mock_response: "paid" },
};

it("a call is explained before it is made: its caller is chosen, digits are kept, and each rule says what it does", async () => {
  const api = fakeApi({
    "tools.suggest": () => [{ name: "pay" }],
    "tools.get": () => ({ definition }),
    "tools.validateArguments": () => ({ valid: true, faults: [], warnings: [] }),
    "toolsets.list": () => [{ name: "desk" }],
    "executions.facets": () => ({ actors: [{ id: "eve", name: "Eve" }] }),
    "rules.explain": () => ANSWER,
  });
  api.render(<TryCall onClose={() => undefined} />);
  fireEvent.change(await screen.findByLabelText(/^Tool/), { target: { value: "pay" } });
  fireEvent.change(await screen.findByLabelText("amount"), { target: { value: "9054686819491029395" } });
  await screen.findByRole("option", { name: "Eve" });
  fireEvent.change(screen.getByLabelText("User"), { target: { value: '{"id":"eve","name":"Eve"}' } });
  fireEvent.change(screen.getByLabelText("Role"), { target: { value: "operator" } });
  fireEvent.change(screen.getByLabelText("Client"), { target: { value: "claude-code" } });
  fireEvent.click(screen.getByRole("button", { name: "Explain" }));
  expect(await screen.findByText("Asks an admin, by rule Large payments")).toBeDefined();
  const sent = api.calls.findLast(({ path }) => path === "rules.explain")?.input as { call: object };
  expect(sent.call).toMatchObject({
    tool: "pay",
    caller: { id: "eve", name: "Eve", role: "operator" },
    client: "claude-code",
    source: "gateway",
  });
  const rows = screen.getAllByRole("listitem").map(({ textContent }) => textContent);
  expect(rows[0]).toContain("Matches");
  expect(rows[0]).toContain("4 of 10 calls used, 6 calls left");
  expect(rows[0]).toContain("args.amount900");
  expect(rows[1]).toContain("decides");
  expect(rows[2]).toContain("Not reached");
  expect(rows[2]).not.toContain("args.amount");
  expect(rows[3]).toContain("Installation policyAllows without approval");
  fireEvent.change(screen.getByLabelText("Client"), { target: { value: "curl" } });
  await waitFor(() => expect(screen.getByText(/Choose Explain again/)).toBeDefined());
});
