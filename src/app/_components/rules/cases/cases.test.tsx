// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { Role } from "@/lib/contract/access";
import type { ProposedCase, RuleCase, RuleCaseInput, RuleCaseResult, RuleTest } from "@/lib/contract/rule-case";
import { parseWithDigits, stringifyWithDigits } from "@/lib/json/number-digits";
import { EMPTY_RULE } from "@/lib/rules/propose-rule";
import { CaseDialog } from "./case-dialog";
import { CaseList } from "./case-list";
import { ChangedCases } from "./changed-cases";

const PASSED: RuleCaseResult = {
  status: "passed",
  outcome: "deny",
  rule: "No large payments",
  effects: [],
  notes: [],
  read: [],
};
const FAILED: RuleCaseResult = {
  status: "error",
  outcome: "unknown",
  rule: "Night",
  effects: [],
  notes: ["The rule 'Night' depends on 'call.time', which the case does not give: add it"],
  read: [{ rule: "Night", values: { "args.amount": 5 } }],
};

function ruleCase(name: string, result: RuleCaseResult, part: Partial<RuleCase> = {}): RuleCase {
  return {
    id: `case_${name}`,
    name,
    call: { tool: "pay", arguments: { amount: 900 }, caller: { role: "operator" } },
    expect: { outcome: "deny", rule: "No large payments" },
    createdAt: 0,
    updatedAt: 0,
    updatedBy: "Ada",
    lastEdit: { revision: 4, by: "Ada", at: 0 },
    result,
    ...part,
  };
}

const PROPOSED: ProposedCase = {
  case: {
    name: "pay 900",
    call: parseWithDigits('{"tool":"pay","arguments":{"id":9054686819491029395}}') as RuleCaseInput["call"],
    expect: { outcome: "none" },
  },
  left: ["call.arguments.token"],
  notes: ["The rule 'Night' depends on 'call.count', which the case does not give: add it"],
};

function fakeCases(cases: RuleCase[] = [], test?: RuleTest, role: Role = "editor") {
  const api = fakeApi(
    {
      "ruleCases.list": () => cases,
      "ruleCases.propose": () => PROPOSED,
      "ruleCases.test": () => test,
      "ruleCases.create": ({ case: input }: { case: RuleCaseInput }) => ruleCase(input.name, PASSED, input),
      "ruleCases.update": ({ case: input }: { case: RuleCaseInput }) => ruleCase(input.name, FAILED, input),
      "ruleCases.delete": () => null,
      "rules.list": () => [{ ...EMPTY_RULE, id: "rule_1", name: "No large payments" }],
    },
    "",
    "live",
    role,
  );
  const findInput = (path: string) => api.calls.findLast((call) => call.path === path)?.input;
  return { ...api, findInput };
}

it("the list says how many cases pass, and of each that does not, why and what the conditions read", async () => {
  fakeCases([ruleCase("Large", PASSED), ruleCase("Night pay", FAILED)]).render(<CaseList />);
  expect(await screen.findByText("1 of 2 cases pass")).toBeDefined();
  const [passed, failed] = screen.getAllByRole("listitem").map(({ textContent }) => textContent);
  expect(passed).toContain('pay {"amount":900} by operator');
  expect(passed).not.toContain("does not pass");
  expect(failed).toContain("does not pass: expectedDeniedgotCannot tellby Night");
  expect(failed).toContain("Expected by No large payments");
  expect(failed).toContain("depends on 'call.time'");
  expect(failed).toContain("args.amount5");
});

it("without cases it says how to make one, and viewers make none", async () => {
  fakeCases([], undefined, "viewer").render(<CaseList />);
  expect(await screen.findByText("Save as case")).toBeDefined();
  expect(screen.getByRole("button", { name: "Add case" }).getAttribute("aria-disabled")).toBe("true");
});

it("a case is deleted after a confirmation, by the revision that is shown", async () => {
  const api = fakeCases([ruleCase("Large", PASSED)]);
  api.render(<CaseList />);
  fireEvent.click(await screen.findByRole("button", { name: "Actions for Large" }));
  fireEvent.click(await screen.findByRole("menuitem", { name: "Delete" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Delete Large?" }));
  fireEvent.click(dialog.getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(api.findInput("ruleCases.delete")).toEqual({ id: "case_Large", revision: 4 }));
});

it("a recorded call is saved with all its digits, and its masked values are named as left out", async () => {
  const api = fakeCases();
  api.render(<CaseDialog executionId="exec_aaaaaaaa1" onClose={() => undefined} />);
  expect(await screen.findByText("Masked values were left out")).toBeDefined();
  expect(screen.getByText("call.arguments.token")).toBeDefined();
  expect(screen.getByText(/depends on 'call.count'/)).toBeDefined();
  fireEvent.change(screen.getByLabelText(/^Expected/), { target: { value: "deny" } });
  await screen.findByRole("option", { name: "No large payments" });
  fireEvent.change(screen.getByLabelText(/^By rule/), { target: { value: "No large payments" } });
  fireEvent.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(api.findInput("ruleCases.create")).toBeDefined());
  const { case: sent } = api.findInput("ruleCases.create") as { case: RuleCaseInput };
  expect(stringifyWithDigits(sent.call)).toBe('{"tool":"pay","arguments":{"id":9054686819491029395}}');
  expect(sent.expect).toEqual({ outcome: "deny", rule: "No large payments" });
});

it("a call that is no JSON object stops saving, and an edit names the revision that it began with", async () => {
  const api = fakeCases();
  api.render(<CaseDialog edited={ruleCase("Large", PASSED)} onClose={() => undefined} />);
  const call = await screen.findByLabelText(/^Call/);
  fireEvent.change(call, { target: { value: '{"tool": "pay"' } });
  fireEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText(/Enter a JSON object/)).toBeDefined();
  expect(api.findInput("ruleCases.update")).toBeUndefined();
  fireEvent.change(call, { target: { value: '{"tool": "pay"}' } });
  fireEvent.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() =>
    expect(api.findInput("ruleCases.update")).toMatchObject({
      id: "case_Large",
      revision: 4,
      case: { call: { tool: "pay" } },
    }),
  );
});

it("a rule that is not saved yet says which cases it would change, and which would not pass", async () => {
  const test: RuleTest = {
    passed: 1,
    failed: 1,
    cases: [
      { ...ruleCase("Large", PASSED), result: PASSED },
      { ...ruleCase("Small", PASSED), result: FAILED },
    ],
    changed: [{ name: "Small", before: PASSED, after: FAILED }],
  };
  const api = fakeCases([], test);
  api.render(<ChangedCases rule={EMPTY_RULE} id="rule_1" />);
  expect(await screen.findByText("1 of 2 cases would change, 1 would not pass")).toBeDefined();
  expect(screen.getByRole("listitem").textContent).toBe("SmallDenied→becomesCannot telldoes not pass");
  expect(api.findInput("ruleCases.test")).toMatchObject({ id: "rule_1", rule: { effect: { kind: "ask" } } });
});
