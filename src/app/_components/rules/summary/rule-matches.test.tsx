// @vitest-environment happy-dom
import { render, screen } from "@testing-library/react";
import { AppRouterContext } from "next/dist/shared/lib/app-router-context.shared-runtime";
import { expect, it } from "vitest";
import type { RuleMatch } from "@/lib/contract/rule-match";
import { RuleMatches } from "./rule-matches";

const match: RuleMatch = {
  ruleId: "rule_1",
  name: "No large payments",
  version: 3,
  effect: "deny",
  recordOnly: false,
  values: { "args.amount": 900 },
};

it("a call says which rule decided it, with version and values, and which would have", () => {
  const recorded = {
    ...match,
    ruleId: "rule_2",
    name: "Ask at night",
    version: 1,
    effect: "ask" as const,
    recordOnly: true,
    values: {},
  };
  render(
    <AppRouterContext value={{ prefetch: () => undefined } as never}>
      <RuleMatches matches={[match, recorded]} />
    </AppRouterContext>,
  );
  const [decided, would] = screen.getAllByRole("listitem").map(({ textContent }) => textContent);
  expect(decided).toContain("Denied by No large payments version 3");
  expect(decided).toContain("args.amount900");
  expect(would).toContain("Would be asked by Ask at night version 1");
  expect(screen.getByRole("link", { name: "No large payments" }).getAttribute("href")).toBe(
    "/approvals/rules?rule=rule_1",
  );
});

it("a call says what hooks answered or why they failed, and which tool ran in place of the one that was called", () => {
  const values = { "args.amount": 900 };
  const show = (effect: "hook" | "route", more: RuleMatch["values"], part: Partial<RuleMatch> = {}): RuleMatch => ({
    ...match,
    effect,
    ruleId: JSON.stringify(more),
    values: { ...values, ...more },
    ...part,
  });
  render(
    <AppRouterContext value={{ prefetch: () => undefined } as never}>
      <RuleMatches
        matches={[
          show("hook", { hook: { outcome: "ask", reason: "unusual", ms: 12 } }),
          show("hook", { hook: { outcome: "allow", failed: "it answered with status 500", ms: 3 } }),
          show("route", { routed_to: "pay_mock" }),
          show("hook", {}, { recordOnly: true }),
        ]}
      />
    </AppRouterContext>,
  );
  const [asked, failed, routed, recorded] = screen.getAllByRole("listitem").map(({ textContent }) => textContent);
  expect(asked).toContain("Asked for approval · unusual · 12 ms");
  expect(failed).toContain("Failed, since it answered with status 500: the call went on");
  expect(routed).toContain("Runs pay_mock");
  expect(screen.getByRole("link", { name: "pay_mock" }).getAttribute("href")).toBe("/tools/pay_mock");
  expect(recorded).toContain("Hook would be asked by");
});

it("a call says which rules redacted or blocked its result, and what they found", () => {
  const redacted = { ...match, effect: "redact" as const, values: { replaced: 14, paths: ["result.items[*].email"] } };
  const blocked = { ...match, ruleId: "rule_2", name: "No keys", effect: "block" as const, values: { found: 1 } };
  render(
    <AppRouterContext value={{ prefetch: () => undefined } as never}>
      <RuleMatches matches={[redacted, blocked]} />
    </AppRouterContext>,
  );
  const [first, second] = screen.getAllByRole("listitem").map(({ textContent }) => textContent);
  expect(first).toContain("Redacted by No large payments");
  expect(first).toContain('replaced14paths["result.items[*].email"]');
  expect(second).toContain("Result blocked by No keys");
});
