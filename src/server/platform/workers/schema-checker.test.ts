import { describe, expect, it, onTestFinished } from "vitest";
import { createSchemaChecker } from "./schema-checker";

const LIMIT_MS = 1_000;
const tool = (name: string, properties: object) => ({ name, inputSchema: { type: "object", properties } });

function openChecker() {
  const checker = createSchemaChecker({ home: process.cwd(), limitMs: LIMIT_MS });
  onTestFinished(() => checker.close());
  return checker;
}

describe("the checker of changed tools", () => {
  it("gives a verdict for each tool that is new, gone or changed, and counts the others", async () => {
    const before = { path: { type: "string" } };
    const after = { path: { type: "integer" } };
    const { verdicts, unchanged } = await openChecker().check(
      [tool("same", before), tool("gone", {}), tool("changed", before), { no: "name" }, tool("changed", {})],
      [tool("changed", after), tool("new", {}), tool("same", before)],
    );
    expect(unchanged).toBe(1);
    expect(verdicts.map(({ tool, change, outcome }) => [tool, change, outcome])).toEqual([
      ["changed", "changed", "breaking"],
      ["gone", "removed", "breaking"],
      ["new", "added", "compatible"],
    ]);
  });

  it("ends within its time where a pattern explodes, and checks the next tool", async () => {
    const explosive = (maxLength: number) => tool("a", { text: { type: "string", pattern: "^(a+)+$", maxLength } });
    const { verdicts } = await openChecker().check(
      [explosive(60), tool("b", {})],
      [explosive(50), { ...tool("b", {}), description: "new" }],
    );
    expect(verdicts.map(({ tool, outcome, severity }) => [tool, outcome, severity])).toEqual([
      ["a", "breaking", "error"],
      ["b", "wording", "info"],
    ]);
    expect(verdicts[0]?.findings[0]).toMatchObject({ rule: "tool.unjudged", isBreaking: true });
  });
});
