import { describe, expect, it } from "vitest";
import { idsInTitles, readRequirements } from "./requirements.mjs";

describe("the requirements that test titles name", () => {
  it.each([
    [`it("EXE-01 runs", () => {})`, ["EXE-01"]],
    [`test('IMPL-04 adds', async () => {})`, ["IMPL-04"]],
    ["describe(`VAL-05 VAL-01, VAL-02 bounds`, () => {})", ["VAL-05", "VAL-01", "VAL-02"]],
    [`it.each([["a", f(1)]])("FMT-01 converts %s", () => {})`, ["FMT-01"]],
    [`it.each(\n  CASES,\n)(\n  "TIME-03 cuts", () => {})`, ["TIME-03"]],
    [`test.describe("REG-01 start", () => {})`, ["REG-01"]],
  ])("are read from %s", (source, ids) => {
    expect(idsInTitles(source)).toEqual(ids);
  });

  it.each([
    `it("names EXE-01 in the middle", () => {})`,
    `// it("EXE-01 commented out", () => {})`,
    `/* it("EXE-01 commented out", () => {}) */`,
    `it.skip("EXE-01 skipped", () => {})`,
    `it.todo("EXE-01 to do")`,
    `test.fixme("EXE-01 to mend", () => {})`,
    `const title = "EXE-01 no test";`,
    `it("EXE-012 no such form", () => {})`,
  ])("are not read from %s", (source) => {
    expect(idsInTitles(source)).toEqual([]);
  });

  it("are looked up in the list, each line once", () => {
    const { proven, missing, later } = readRequirements();
    const all = [...proven.keys(), ...missing, ...later];
    expect(all).toContain("EXE-01");
    expect(all).toContain("AGT-13");
    expect(new Set(all).size).toBe(all.length);
  });
});
