import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { expect, type Page } from "@playwright/test";
import type axe from "axe-core";

const require = createRequire(import.meta.url);
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

let source: Promise<string> | undefined;

/** One readable line a violation and one for each place it was found. */
function describeViolation(violation: axe.Result): string {
  const places = violation.nodes.map((node) => `    ${node.target.join(" ")}\n      ${node.failureSummary ?? ""}`);
  return [`${violation.id} (${violation.impact ?? "?"}): ${violation.help}`, ...places].join("\n");
}

/**
 * Fails with a list when axe finds anything on the page, or inside `within` (a CSS selector). The source is evaluated
 * by the debugger, which the page's Content-Security-Policy does not bind.
 */
export async function expectAccessible(page: Page, { within }: { within?: string } = {}): Promise<void> {
  source ??= readFile(require.resolve("axe-core/axe.min.js"), "utf8");
  await page.evaluate(await source);
  const violations = await page.evaluate(
    async ([selector, tags]) => {
      const { axe: engine } = window as unknown as { axe: typeof axe };
      const context = selector === null ? document : selector;
      const { violations: found } = await engine.run(context, { runOnly: { type: "tag", values: tags } });
      return found;
    },
    [within ?? null, RULES] as const,
  );
  expect(violations.map(describeViolation), `accessibility of ${page.url()}`).toEqual([]);
}
