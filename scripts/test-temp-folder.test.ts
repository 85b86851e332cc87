import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import openTempFolder from "./test-temp-folder";

it("a test and its processes make temporary files in the folder of the run", () => {
  expect(path.basename(tmpdir())).toMatch(/^tr-\w{6}$/);
});

it("the folder of a run is removed with what is left in it, and the earlier one is back", () => {
  const before = tmpdir();
  const remove = openTempFolder();
  const folder = tmpdir();
  expect(path.dirname(folder)).toBe(before);
  mkdirSync(path.join(folder, "left"));
  writeFileSync(path.join(folder, "left", "behind.txt"), "x");

  remove();

  expect(existsSync(folder)).toBe(false);
  expect(tmpdir()).toBe(before);
});
