import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const css = readFileSync(path.join(import.meta.dirname, "globals.css"), "utf8");

type Theme = "light" | "dark";
const tokens = new Map(
  [...css.matchAll(/--color-([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g)].map(
    ([, name, light, dark]) => [String(name), { light: String(light), dark: String(dark) }],
  ),
);

function colour(name: string, theme: Theme): string {
  const token = tokens.get(name);
  if (token === undefined) throw new Error(`globals.css has no colour "${name}"`);
  return token[theme];
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string, theme: Theme): number {
  const [high = 0, low = 0] = [luminance(colour(one, theme)), luminance(colour(other, theme))].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

const SURFACES = ["bg", "panel", "rail", "accent-bg", "ok-bg", "bad-bg", "warn-bg"];
const TEXTS = ["text", "mute", "faint", "accent", "ok", "bad", "warn", "key", "str", "num"];
/** Reversed: primary buttons, the chosen segment; and quiet badges and menu rows, which stand on the line colour. */
const MORE_PAIRS = [
  ["bg", "text"],
  ["text", "line"],
  ["mute", "line"],
] as const;

describe.each(["light", "dark"] as const)("colours of the %s theme", (theme) => {
  it("give every text at least 4.5:1 on every surface", () => {
    const weak = [...SURFACES.flatMap((surface) => TEXTS.map((text) => [text, surface] as const)), ...MORE_PAIRS]
      .map(([text, surface]) => ({ pair: `${text} on ${surface}`, ratio: contrast(text, surface, theme) }))
      .filter(({ ratio }) => ratio < 4.5);
    expect(weak).toEqual([]);
  });

  it("give the edges of controls and the focus ring at least 3:1", () => {
    const weak = ["edge", "accent", "bad"].flatMap((line) =>
      ["bg", "panel", "rail"].filter((surface) => contrast(line, surface, theme) < 3).map((on) => `${line} on ${on}`),
    );
    expect(weak).toEqual([]);
  });

  it("keep the hierarchy: text is stronger than mute, mute than faint", () => {
    const [text = 0, mute = 0, faint = 0] = ["text", "mute", "faint"].map((name) => contrast(name, "panel", theme));
    expect(text).toBeGreaterThan(mute);
    expect(mute).toBeGreaterThan(faint);
  });
});

it("drops the framework's palette", () => {
  expect(css).toContain("--color-*: initial");
});
