// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { Suspense } from "react";
import { expect, it } from "vitest";
import { executionDetail } from "@/app/_components/executions/summary/execution.test-support";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { Role } from "@/lib/contract/access";
import type { CallRule, CallRuleInput, RulePreview } from "@/lib/contract/call-rule";
import type { ExecutionDetail } from "@/lib/contract/execution";
import type { RuleProposals, RuleResults } from "@/lib/contract/rule-insight";
import { EMPTY_RULE } from "@/lib/rules/propose-rule";
import { RulesPage } from "./rules-page";

function callRule(position: number, part: Partial<CallRule> = {}): CallRule {
  return {
    ...EMPTY_RULE,
    id: `rule_${position}`,
    name: `Rule ${position}`,
    position,
    version: 1,
    createdAt: 0,
    updatedAt: 0,
    updatedBy: "Ada",
    reviewedAt: null,
    lastEdit: { revision: 7, by: "Ada", at: 0 },
    matched: 3,
    unevaluable: 0,
    ...part,
  };
}

const PREVIEW: RulePreview = {
  since: 0,
  until: 1,
  calls: 1_204,
  more: false,
  matched: 14,
  unknown: 2,
  before: { allow: 0, deny: 0, ask: 0, none: 1_202, unknown: 2 },
  after: { allow: 0, deny: 0, ask: 14, none: 1_188, unknown: 2 },
  changed: 14,
  failedAllowed: 0,
  limited: null,
  routed: null,
  groups: [{ actor: { id: "u", name: "nightly-agent" }, toolName: "pay", count: 14 }],
  items: [],
};

const PROPOSALS: RuleProposals = {
  execution: "exec_aaaaaaaa1",
  toolName: "pay",
  caller: null,
  since: 0,
  until: 1,
  calls: 1_204,
  failed: 0,
  succeeded: 1_204,
  more: false,
  proposals: [
    { condition: "args.amount > 500", matched: 14, failed: 0, succeeded: 14, unknown: 0 },
    { condition: 'args.currency == "EUR"', matched: 1, failed: 0, succeeded: 1, unknown: 2 },
  ],
};

const COUNTS = { matched: 14, succeeded: 11, failed: 3, rejected: 0, cancelled: 0, open: 0, approved: 0 };
const RESULTS: RuleResults = {
  ruleId: "rule_1",
  days: 7,
  since: 0,
  recorded: COUNTS,
  decided: { ...COUNTS, matched: 0, succeeded: 0, failed: 0 },
  earlier: 0,
  hidden: 0,
  more: false,
  groups: [{ ...COUNTS, actor: { id: "u", name: "nightly-agent" }, toolName: "pay" }],
};

function openRules(search: string, rules: CallRule[] = [], role: Role = "admin", call: Partial<ExecutionDetail> = {}) {
  const api = fakeApi(
    {
      "rules.list": () => rules,
      "rules.fields": () => [{ path: "args.amount", type: "number", values: [120] }],
      "rules.check": ({ condition }: { condition: string }) => ({
        problems: condition.includes("bad") ? [{ message: "Unknown variable: bad", from: 0, to: 3 }] : [],
      }),
      "rules.preview": () => PREVIEW,
      "rules.usage": () => [
        {
          ruleId: "rule_1",
          ruleName: "Rule 1",
          key: "k",
          parts: [{ of: "user", value: "nightly-agent" }],
          measure: "calls",
          used: 80,
          most: 100,
          minutes: 60,
          freeAt: null,
        },
      ],
      "rules.resetUsage": () => null,
      "rules.propose"({ execution, effect }: { execution: string; effect: string }) {
        if (execution === "exec_broken01") throw new Error("The log is away");
        return { ...PROPOSALS, execution, effect };
      },
      "rules.results": () => RESULTS,
      "rules.markReviewed": () => null,
      "rules.testHook": () => ({ decision: "deny", reason: "no", failure: null, status: 200, ms: 12 }),
      "rules.replaceSecret": () => ({ secret: "whsec_new" }),
      "views.list": () => [{ id: "view_1", name: "Failed today", query: "status=failed" }],
      "rules.create": ({ rule }: { rule: CallRuleInput }) => ({ ...callRule(1, rule), brokenCases: [] }),
      "rules.update": ({ rule }: { rule: CallRuleInput }) => ({
        ...callRule(1, rule),
        brokenCases: ["A small payment"],
      }),
      "rules.move": ({ id }: { id: string }) => ({ ...rules.find((rule) => rule.id === id), brokenCases: [] }),
      "ruleCases.list": () => [],
      "ruleCases.test": () => ({ passed: 0, failed: 0, cases: [], changed: [] }),
      "rules.delete": () => null,
      "tools.suggest": () => [{ name: "pay" }],
      "tools.facets": () => ({ types: [], servers: [], tags: [] }),
      "tools.approvalGroups": () => [
        { because: "person", required: true, mode: "admin", server: null, names: ["pay"], count: 1 },
      ],
      "servers.names": () => [],
      "toolsets.list": () => [],
      "executions.facets": () => ({ tools: [], actors: [] }),
      "executions.get": () =>
        executionDetail({ toolName: "pay", argumentsText: '{"amount":900,"currency":"EUR"}', ...call }),
    },
    search,
    "live",
    role,
  );
  api.render(
    <Suspense>
      <RulesPage />
    </Suspense>,
  );
  const findInput = (path: string) => api.calls.findLast((call) => call.path === path)?.input;
  return { ...api, findInput };
}

it("the list shows rules in their order, and the approval settings below them", async () => {
  openRules("", [callRule(1, { scope: { ...EMPTY_RULE.scope, tools: ["pay_*"] } }), callRule(2)]);
  const table = await screen.findByRole("table", { name: "Rules" });
  await waitFor(() => expect(within(table).getAllByRole("row")).toHaveLength(4));
  const texts = within(table)
    .getAllByRole("row")
    .map(({ textContent }) => textContent);
  expect(texts[1]).toContain("Asks when pay_* is called");
  expect(texts[3]).toContain("Asks an admin when pay is called");
  expect(within(table).getAllByRole("link", { name: "3 matched calls" })[0]?.getAttribute("href")).toBe(
    "/executions?rule=rule_1&range=7d",
  );
});

it("the list says that a rule has recorded for a week and its results were not looked at", async () => {
  const dayMs = 86_400_000;
  const updatedAt = Date.now() - 8.5 * dayMs;
  const recording = { state: "record" as const, updatedAt };
  openRules("", [
    callRule(1, recording),
    callRule(2, { ...recording, reviewedAt: Date.now() - dayMs }),
    callRule(3, { state: "record", updatedAt: Date.now() - dayMs }),
    callRule(4, { updatedAt }),
  ]);
  expect(await screen.findAllByText(/not looked at/)).toHaveLength(1);
  const row = screen.getByRole("row", { name: /Rule 1/ });
  expect(row.textContent).toContain("recording for 8 days, results not looked at");
});

it("without rules the page invites to make one and shows what decides", async () => {
  openRules("");
  expect(await screen.findByRole("heading", { name: "No rules yet" })).toBeDefined();
  expect(await screen.findByText("Asks an admin when pay is called")).toBeDefined();
});

it("buttons and Alt with an arrow key move a rule by one position, and no further than the ends", async () => {
  const api = openRules("", [callRule(1), callRule(2)]);
  const up = await screen.findByRole<HTMLButtonElement>("button", { name: "Move Rule 1 up" });
  expect(up.disabled).toBe(true);
  fireEvent.keyDown(screen.getByRole("link", { name: "Rule 1" }), { key: "ArrowUp", altKey: true });
  fireEvent.click(screen.getByRole("button", { name: "Move Rule 1 down" }));
  await waitFor(() => expect(api.findInput("rules.move")).toEqual({ id: "rule_1", position: 2 }));
  await waitFor(() => expect(api.calls.filter(({ path }) => path === "rules.list").length).toBeGreaterThan(1));
  fireEvent.keyDown(screen.getByRole("link", { name: "Rule 2" }), { key: "ArrowUp", altKey: true });
  await waitFor(() => expect(api.findInput("rules.move")).toEqual({ id: "rule_2", position: 1 }));
});

it("the state of a rule is switched with the revision that the page shows", async () => {
  const api = openRules("", [callRule(1)]);
  fireEvent.change(await screen.findByLabelText("State of Rule 1"), { target: { value: "record" } });
  await waitFor(() =>
    expect(api.findInput("rules.update")).toMatchObject({ id: "rule_1", revision: 7, rule: { state: "record" } }),
  );
  expect(api.findInput("rules.update")).not.toHaveProperty("rule.position");
});

it("a rule that names an approver is an admin's to switch, move and delete", async () => {
  openRules("", [callRule(1, { effect: { kind: "ask", approver: "admin" } }), callRule(2)], "editor");
  const state = await screen.findByLabelText<HTMLSelectElement>("State of Rule 1");
  expect(state.disabled).toBe(true);
  expect(screen.getByLabelText<HTMLSelectElement>("State of Rule 2").disabled).toBe(false);
  expect(screen.getByRole("button", { name: "Move Rule 2 up" }).getAttribute("aria-disabled")).toBe("true");
});

it("a rule is deleted after a confirmation", async () => {
  const api = openRules("", [callRule(1)]);
  fireEvent.click(await screen.findByRole("button", { name: "Actions for Rule 1" }));
  fireEvent.click(await screen.findByRole("menuitem", { name: "Delete" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Delete Rule 1?" }));
  expect(api.findInput("rules.delete")).toBeUndefined();
  fireEvent.click(dialog.getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(api.findInput("rules.delete")).toEqual({ id: "rule_1", revision: 7 }));
});

it("a rule made from a call begins with what sets it apart, offers the other proposals, and is saved", async () => {
  const api = openRules("?rule=new&from=exec_aaaaaaaa1&effect=ask");
  expect(await screen.findByText("In the last 7 days this rule would have asked for 14 of 1,204 calls.")).toBeDefined();
  expect(api.findInput("rules.propose")).toEqual({ execution: "exec_aaaaaaaa1", effect: "ask", callers: "all" });
  expect(api.findInput("rules.preview")).toMatchObject({
    rule: { condition: "args.amount > 500", scope: { tools: ["pay"] } },
  });
  const proposals = within(await screen.findByRole("region", { name: "Proposed conditions" }));
  const [first, second] = proposals.getAllByRole("button");
  expect([first?.textContent, first?.getAttribute("aria-pressed")]).toEqual([
    "amount > 500would match 14 of 1,204 calls in 7 days",
    "true",
  ]);
  fireEvent.click(second as HTMLElement);
  expect(screen.getByLabelText<HTMLInputElement>("Field of condition 1").value).toBe("args.currency");
  fireEvent.click(first as HTMLElement);
  fireEvent.change(screen.getByLabelText("Value of condition 1"), { target: { value: "900" } });
  fireEvent.change(screen.getByLabelText(/^Name/), { target: { value: "Large payments" } });
  fireEvent.click(screen.getByRole("button", { name: /^Create rule/ }));
  await waitFor(() => expect(api.findInput("rules.create")).toMatchObject({ rule: { name: "Large payments" } }));
  expect(api.findInput("rules.create")).toMatchObject({
    rule: { condition: "args.amount > 900", effect: { kind: "ask", approver: "always" } },
  });
  await waitFor(() => expect(api.visited).toContain("/approvals/rules"));
});

it("a rule that lets a caller's calls run is tried before the rule that asked for the call", async () => {
  const decider = callRule(2, { name: "Asks all" });
  const api = openRules(
    "?rule=new&from=exec_aaaaaaaa1&effect=allow&field=args.amount&callers=same",
    [callRule(1), decider],
    "admin",
    { ruleMatches: [{ ruleId: "rule_2", name: "Asks all", version: 1, effect: "ask", recordOnly: false, values: {} }] },
  );
  const tried = await screen.findByLabelText<HTMLSelectElement>("Tried");
  expect(tried.selectedOptions[0]?.textContent).toBe("Before Asks all, which decided the call");
  await waitFor(() =>
    expect(api.findInput("rules.preview")).toMatchObject({ position: 2, rule: { effect: { kind: "allow" } } }),
  );
  expect(api.findInput("rules.propose")).toMatchObject({ field: "args.amount", callers: "same", effect: "allow" });
  fireEvent.click(screen.getByRole("button", { name: /^Create rule/ }));
  await waitFor(() => expect(api.findInput("rules.create")).toMatchObject({ position: 2 }));
});

it("a call that cannot be compared still makes a rule, which says why nothing is proposed", async () => {
  openRules("?rule=new&from=exec_broken01&effect=deny");
  expect(await screen.findByText("Couldn't compare this call with the recorded ones")).toBeDefined();
  expect(screen.getByText("The log is away")).toBeDefined();
  expect(screen.getByLabelText<HTMLInputElement>(/^Name/).value).toBe("Deny pay");
});

it("a rule of an alert begins with its tool and effect", async () => {
  const api = openRules("?rule=new&effect=deny&tool=pay&client=claude-code");
  await waitFor(() =>
    expect(api.findInput("rules.preview")).toMatchObject({
      rule: { scope: { tools: ["pay"] }, caller: { clients: ["claude-code"] }, effect: { kind: "deny" } },
    }),
  );
});

it("a preview reads the calls of a period, a saved view or a search", async () => {
  const api = openRules("?rule=new");
  const choice = await screen.findByLabelText<HTMLSelectElement>("Calls of");
  await screen.findByRole("option", { name: "Failed today" });
  fireEvent.change(choice, { target: { value: "view:view_1" } });
  expect(
    await screen.findByText("In the view Failed today this rule would have asked for 14 of 1,204 calls."),
  ).toBeDefined();
  expect(api.findInput("rules.preview")).toMatchObject({ view: "view_1", zone: expect.any(String) });
  fireEvent.change(choice, { target: { value: "search" } });
  expect(screen.getByText("Enter 3 characters or more to search for.")).toBeDefined();
  fireEvent.change(screen.getByLabelText("Search arguments, results and errors"), { target: { value: "winter" } });
  expect(await screen.findByText(/^In calls of 7 days with “winter” this rule/)).toBeDefined();
  expect(api.findInput("rules.preview")).toMatchObject({ filter: { q: "winter" } });
});

it("a rule that records shows what became of its calls, and is turned on from there", async () => {
  const rule = callRule(1, { state: "record", effect: { kind: "deny", reason: "No" } });
  const api = openRules("?rule=rule_1", [rule]);
  expect(await screen.findByText("It would have denied 14 calls: 11 succeeded, 3 failed.")).toBeDefined();
  expect(screen.getByRole("table", { name: "Results by caller and tool" }).textContent).toContain("nightly-agent");
  await waitFor(() => expect(api.findInput("rules.markReviewed")).toEqual({ id: "rule_1" }));
  expect(screen.getByRole("link", { name: "Show the calls" }).getAttribute("href")).toBe(
    "/executions?rule=rule_1&range=7d",
  );
  fireEvent.click(screen.getByRole("button", { name: "Turn on" }));
  await waitFor(() =>
    expect(api.findInput("rules.update")).toMatchObject({ id: "rule_1", revision: 7, rule: { state: "on" } }),
  );
});

it("an incomplete row stops saving and names what it lacks, and the preview waits for it", async () => {
  const api = openRules("?rule=new");
  fireEvent.change(await screen.findByLabelText(/^Name/), { target: { value: "Half" } });
  fireEvent.click(screen.getByRole("button", { name: "Add condition" }));
  expect(screen.getByText("Complete the condition to see what the rule would have done.")).toBeDefined();
  fireEvent.change(screen.getByLabelText("Field of condition 1"), { target: { value: "amount" } });
  fireEvent.blur(screen.getByLabelText("Field of condition 1"));
  expect(screen.getByLabelText<HTMLInputElement>("Field of condition 1").value).toBe("args.amount");
  fireEvent.change(screen.getByLabelText("Operator of condition 1"), { target: { value: "above" } });
  fireEvent.click(screen.getByRole("button", { name: /^Create rule/ }));
  expect(await screen.findByText("Enter a number")).toBeDefined();
  expect(api.findInput("rules.create")).toBeUndefined();
});

it("builder and text edit the same condition; one that the builder cannot show stays text", async () => {
  const api = openRules("?rule=rule_1", [callRule(1, { condition: "args.amount > 500" })]);
  fireEvent.click(await screen.findByRole("radio", { name: "Text" }));
  const text = screen.getByLabelText<HTMLTextAreaElement>("Condition as text");
  expect(text.value).toBe("args.amount > 500");
  fireEvent.change(text, { target: { value: "args.amount + args.fee > 500" } });
  expect(screen.getByRole<HTMLInputElement>("radio", { name: "Builder" }).disabled).toBe(true);
  expect(screen.getByText("The builder cannot show this condition.")).toBeDefined();
  fireEvent.change(text, { target: { value: "bad > 1" } });
  expect(await screen.findByText(/Unknown variable: bad/)).toBeDefined();
  fireEvent.change(text, { target: { value: "args.amount > 900" } });
  fireEvent.click(screen.getByRole("radio", { name: "Builder" }));
  expect(screen.getByLabelText<HTMLInputElement>("Value of condition 1").value).toBe("900");
  fireEvent.click(screen.getByRole("button", { name: /^Save/ }));
  await waitFor(() =>
    expect(api.findInput("rules.update")).toMatchObject({ revision: 7, rule: { condition: "args.amount > 900" } }),
  );
});

it("a limit is written in words, and saved with its window in minutes", async () => {
  const api = openRules("?rule=new");
  fireEvent.change(await screen.findByLabelText(/^Name/), { target: { value: "Few payments" } });
  fireEvent.change(screen.getByRole("combobox", { name: "Then" }), { target: { value: "limit" } });
  fireEvent.change(screen.getByLabelText(/^At most/), { target: { value: "100" } });
  fireEvent.change(screen.getByLabelText(/^In/), { target: { value: "for long" } });
  fireEvent.click(screen.getByRole("button", { name: /^Create rule/ }));
  expect(await screen.findByText("Enter 1 minute to 31 days, such as 90 minutes")).toBeDefined();
  fireEvent.change(screen.getByLabelText(/^In/), { target: { value: "2 hours" } });
  fireEvent.click(screen.getByRole("checkbox", { name: "user" }));
  fireEvent.click(screen.getByRole("button", { name: /^Create rule/ }));
  await waitFor(() => expect(api.findInput("rules.create")).toBeDefined());
  const effect = { kind: "limit", measure: "calls", most: 100, minutes: 120, per: ["user"], action: "deny" };
  expect(api.findInput("rules.create")).toEqual({ rule: expect.objectContaining({ effect }) });
});

it("what is used of limits stands below the rules, with its numbers, and can be reset after a confirmation", async () => {
  const effect = {
    kind: "limit" as const,
    measure: "calls" as const,
    most: 100,
    minutes: 60,
    per: ["user" as const],
    action: "deny" as const,
    approver: "always" as const,
    waitSeconds: 60,
  };
  const api = openRules("", [callRule(1, { effect })]);
  const bar = await screen.findByRole("progressbar", { name: "Rule 1, user nightly-agent" });
  expect(bar.getAttribute("value")).toBe("80");
  expect(screen.getByText("80 of 100 calls in 1 hour")).toBeDefined();
  fireEvent.click(screen.getByRole("button", { name: "Reset Rule 1, user nightly-agent" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Reset Rule 1?" }));
  fireEvent.click(dialog.getByRole("button", { name: "Reset" }));
  await waitFor(() => expect(api.findInput("rules.resetUsage")).toEqual({ id: "rule_1", key: "k" }));
});

it("a hook is entered with its address, what it is sent and what its failure does, and a route with its tool", async () => {
  const { findInput } = openRules("?rule=new");
  fireEvent.change(await screen.findByLabelText("Then"), { target: { value: "hook" } });
  fireEvent.change(screen.getByLabelText(/^Name/), { target: { value: "Fraud check" } });
  fireEvent.change(screen.getByLabelText(/^Address/), { target: { value: "https://fraud.example/ask" } });
  fireEvent.click(screen.getByRole("radio", { name: "Whole" }));
  fireEvent.click(screen.getByRole("radio", { name: "Let run" }));
  fireEvent.click(screen.getByRole("button", { name: /^Create rule/ }));
  await waitFor(() =>
    expect(findInput("rules.create")).toMatchObject({
      rule: {
        effect: { kind: "hook", url: "https://fraud.example/ask", arguments: "whole", onFailure: "allow" },
      },
    }),
  );
});

it("a route names the tool that runs", async () => {
  const { findInput } = openRules("?rule=new");
  fireEvent.change(await screen.findByLabelText("Then"), { target: { value: "route" } });
  fireEvent.change(screen.getByLabelText(/^Name/), { target: { value: "To the mock" } });
  fireEvent.change(screen.getByLabelText(/^Run this tool/), { target: { value: "pay_mock" } });
  fireEvent.click(screen.getByRole("button", { name: /^Create rule/ }));
  await waitFor(() =>
    expect(findInput("rules.create")).toMatchObject({ rule: { effect: { kind: "route", tool: "pay_mock" } } }),
  );
});

it("a rule names the kinds of calls that it is about, of which a route takes tools alone", async () => {
  const { findInput } = openRules("?rule=new");
  fireEvent.change(await screen.findByLabelText(/^Name/), { target: { value: "Reads" } });
  expect(screen.getByText("None: all of them. A route applies to tools alone.")).toBeDefined();
  fireEvent.click(screen.getByLabelText("Resources"));
  fireEvent.change(screen.getByLabelText("Then"), { target: { value: "route" } });
  fireEvent.change(screen.getByLabelText(/^Run this tool/), { target: { value: "pay_mock" } });
  fireEvent.click(screen.getByRole("button", { name: /^Create rule/ }));
  const problems = await screen.findAllByText("Choose Tools alone, or none: nothing else can be routed");
  expect(problems.length).toBeGreaterThan(0);
  expect(findInput("rules.create")).toBeUndefined();
  fireEvent.change(screen.getByLabelText("Then"), { target: { value: "ask" } });
  fireEvent.click(screen.getByRole("button", { name: /^Create rule/ }));
  await waitFor(() => expect(findInput("rules.create")).toMatchObject({ rule: { scope: { kinds: ["resource"] } } }));
});

it("a saved hook is tried by a test call, and its new secret is shown once", async () => {
  const rule = callRule(1, {
    effect: { kind: "hook", url: "https://fraud.example/ask", arguments: "masked", onFailure: "deny" },
  });
  const { findInput } = openRules("?rule=rule_1", [rule]);
  fireEvent.click(await screen.findByRole("button", { name: "Send a test call" }));
  expect(await screen.findByText("Denied: no · status 200 · 12 ms")).toBeTruthy();
  expect(findInput("rules.testHook")).toEqual({ id: "rule_1" });
  fireEvent.click(screen.getByRole("button", { name: "New secret" }));
  fireEvent.click(await screen.findByRole("button", { name: "Replace" }));
  expect(await screen.findByText("whsec_new")).toBeTruthy();
});
