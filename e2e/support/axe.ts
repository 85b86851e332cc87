import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { expect, type Page } from "@playwright/test";
import type axe from "axe-core";
import { preferTheme } from "./theme";

const require = createRequire(import.meta.url);
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

let source: Promise<string> | undefined;

/** One readable line a violation and one for each place it was found. */
function describeViolation(violation: axe.Result): string {
  const places = violation.nodes.map((node) => `    ${node.target.join(" ")}\n      ${node.failureSummary ?? ""}`);
  return [`${violation.id} (${violation.impact ?? "?"}): ${violation.help}`, ...places].join("\n");
}

/** `rules` narrows the look to some of axe's rules; all of `RULES` otherwise. */
function findViolations(page: Page, within: string | null, rules: string[] | null): Promise<axe.Result[]> {
  return page.evaluate(
    async ([selector, tags, names]) => {
      const { axe: engine } = window as unknown as { axe: typeof axe };
      const runOnly = names === null ? { type: "tag", values: tags } : { type: "rule", values: names };
      const options = { runOnly, resultTypes: ["violations"] } as axe.RunOptions;
      const { violations } = await engine.run(selector ?? document, options);
      return violations;
    },
    [within, RULES, rules] as const,
  );
}

interface AccessibilityOptions {
  /** A CSS selector; the whole page otherwise. */
  within?: string | null;
  /** The dark theme differs in colors only: where a journey is about structure, another one looks at the page's colors. */
  isDarkToo?: boolean;
}

/**
 * Fails with a list when axe finds anything on the page in the light or in the dark theme. The source is evaluated by the
 * debugger, which the page's Content-Security-Policy does not bind. Afterwards the page is light.
 */
export async function expectAccessible(
  page: Page,
  { within = null, isDarkToo = true }: AccessibilityOptions = {},
): Promise<void> {
  source ??= readFile(require.resolve("axe-core/axe.min.js"), "utf8");
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(await source);
  if (isDarkToo) await preferTheme(page, "dark");
  const dark = isDarkToo ? await findViolations(page, within, ["color-contrast"]) : [];
  await preferTheme(page, "light");
  const light = await findViolations(page, within, null);
  const found = [...light.map(describeViolation), ...dark.map((each) => `dark theme: ${describeViolation(each)}`)];
  expect(found, `accessibility of ${page.url()}`).toEqual([]);
}
