import { expect, it } from "vitest";
import { matchesTemplate } from "./uri-index";

it.each([
  ["demo://item/{id}", "demo://item/7", true],
  ["demo://item/{id}", "demo://item/7/8", false],
  ["demo://item/{+path}", "demo://item/7/8", true],
  ["demo://{a}/x/{b}", "demo://1/x/2", true],
  ["demo://{a}/x/{b}", "demo://1/y/2", false],
  ["demo://search{?q,page}", "demo://search?q=a/b&page=2", true],
  ["demo://{id}.json", "demo://7.json", true],
  ["demo://{id}.json", "demo://7.xml", false],
  ["demo://plain", "demo://plain", true],
  ["demo://plain", "demo://plain2", false],
])("%s matches %s: %s", (template, uri, expected) => {
  expect(matchesTemplate(template, uri)).toBe(expected);
});

it("decides about a hostile template and a long URI at once", () => {
  const begun = performance.now();
  expect(matchesTemplate(`x://${"{a}".repeat(50)}!`, `x://${"a".repeat(8000)}`)).toBe(false);
  expect(matchesTemplate(`x://${"{a}".repeat(5000)}`, `x://${"a".repeat(8000)}`)).toBe(false);
  expect(performance.now() - begun).toBeLessThan(500);
});
