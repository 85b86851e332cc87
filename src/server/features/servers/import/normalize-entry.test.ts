import { describe, expect, it } from "vitest";
import { isDisabledEntry } from "./normalize-entry";

describe("isDisabledEntry", () => {
  it.each([
    { disabled: true },
    { enabled: false },
    { disabled: "true" },
    { disabled: "yes" },
    { enabled: "no" },
    { enabled: 0 },
  ])("is true of %j", (entry) => {
    expect(isDisabledEntry(entry)).toBe(true);
  });
  it.each([
    {},
    { disabled: false },
    { enabled: true },
    { disabled: null },
    { enabled: "yes" },
    { disabled: {} },
    "off",
    null,
  ])("is false of %j", (entry) => {
    expect(isDisabledEntry(entry)).toBe(false);
  });
});
