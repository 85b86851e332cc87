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
