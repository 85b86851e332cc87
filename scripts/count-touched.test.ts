import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "./project-root.mjs";

it("every sample of count-touched.mjs still finds the files of its sibling", () => {
  const output = execFileSync(process.execPath, [path.join(ROOT, "scripts/count-touched.mjs")], { encoding: "utf8" });
  const counts = [...output.matchAll(/^a .*: (\d+) files/gm)].map(([, count]) => Number(count));
  expect(counts).toHaveLength(4);
  expect(counts.every((count) => count > 0)).toBe(true);
});
