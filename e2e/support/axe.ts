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

/** The contrast of colors takes as long as all other rules together. */
type Look = "all" | "colors" | "structure";

function findViolations(page: Page, within: string | null, look: Look): Promise<axe.Result[]> {
  const runOnly = look === "colors" ? { type: "rule", values: ["color-contrast"] } : { type: "tag", values: RULES };
  const options = {
    runOnly,
    resultTypes: ["violations"],
    // Only experimental rules read what it loads.
    preload: false,
    ...(look === "structure" ? { rules: { "color-contrast": { enabled: false } } } : {}),
  } as axe.RunOptions;
  return page.evaluate(
    async ([selector, how]) => {
      const { axe: engine } = window as unknown as { axe: typeof axe };
      const { violations } = await engine.run(selector ?? document, how);
      return violations;
    },
    [within, options] as const,
  );
}

interface AccessibilityOptions {
  /** A CSS selector; the whole page otherwise. */
  within?: string | null;
  /** False where a journey is about structure, and another one looks at the page's colors. */
  colors?: boolean;
}

/**
 * Fails with a list when axe finds anything on the page in the light or in the dark theme. The source is evaluated by the
 * debugger, which the page's Content-Security-Policy does not bind. Afterwards the page is light.
 */
export async function expectAccessible(
  page: Page,
  { within = null, colors = true }: AccessibilityOptions = {},
): Promise<void> {
  // During a navigation Next removes the old title before it has the new one.
  await expect(page).toHaveTitle(/./);
  source ??= readFile(require.resolve("axe-core/axe.min.js"), "utf8");
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(await source);
  if (colors) await preferTheme(page, "dark");
  // The dark theme differs in colors only.
  const dark = colors ? await findViolations(page, within, "colors") : [];
  await preferTheme(page, "light");
  const light = await findViolations(page, within, colors ? "all" : "structure");
  const found = [...light.map(describeViolation), ...dark.map((each) => `dark theme: ${describeViolation(each)}`)];
  expect(found, `accessibility of ${page.url()}`).toEqual([]);
}
