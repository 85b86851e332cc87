import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createToolEngine } from "../create-tool-engine";

const engine = createToolEngine({ mathLimitMs: 1500 });
beforeAll(() => {
  engine.registry.register({
    name: "calculator",
    description: "Evaluates an expression",
    type: "function",
    handler: "math_eval",
    parameters: { type: "object", properties: { expression: { type: "string" } }, required: ["expression"] },
    implementation: { type: "builtin", handler: "math_eval" },
  });
});
afterAll(() => engine.close());

const calculate = (expression: string) => engine.executor.execute("calculator", { expression });

describe("math_eval", () => {
  it.each([
    ["2+2", 4],
    ["sqrt(16) + 3^2", 13],
    ["12 * 7 % 5", 4],
    ["sin(pi / 2)", 1],
    ["1 < 2 and true", true],
    ["sqrt(-4)", "2i"],
    [
      "[1, 2; 3, 4] * 2",
      [
        [2, 4],
        [6, 8],
      ],
    ],
    ["2.54 cm to inch", "1 inch"],
    ["f(x) = x^2; f(7)", 49],
    ["mean([1, 2, 3])", 2],
  ])("IMPL-04 %s gives %j", async (expression, result) => {
    expect(await calculate(expression)).toMatchObject({ success: true, result: { result } });
  });

  it.each([
    ["2 +", "Unexpected end of expression"],
    ["1 / 0", "not a finite number"],
    ["nosuch(1)", "nosuch"],
    ["f(x) = x", "function"],
    ["", "empty"],
    ["import({ a: 1 })", "not available"],
    ['config({ number: "BigNumber" })', "not available"],
    ['evaluate("1+1")', "not available"],
    ['parser().evaluate("1")', "not available"],
    ['cos.constructor("return process")()', "Invalid expression"],
    ["f(x) = f(x + 1); f(1)", "Invalid expression"],
  ])("IMPL-04 a bad expression gives a descriptive error: %s", async (expression, named) => {
    expect(await calculate(expression)).toMatchObject({ success: false, error: expect.stringContaining(named) });
  });

  it.each(["1:1e9", "zeros(1e5, 1e5)", "ones(1e9)", "f(n) = n < 2 ? 1 : f(n - 1) + f(n - 2); f(60)"])(
    "IMPL-04 %s ends in an error, and the next calculation works at once",
    async (expression) => {
      const hostile = calculate(expression);
      expect(await calculate("2+2")).toMatchObject({ result: { result: 4 } });
      expect(await hostile).toMatchObject({
        success: false,
        error: expect.stringMatching(/memory|longer than|Invalid expression/),
      });
      expect(await calculate("2+2")).toMatchObject({ result: { result: 4 } });
      expect(await calculate("[1, 1]")).toMatchObject({ result: { result: [1, 1] } });
    },
    20_000,
  );

  it("IMPL-04 settings tried by one expression do not reach the next", async () => {
    await calculate('config({ number: "BigNumber" })');
    expect(await calculate("0.1 + 0.2")).toMatchObject({ result: { result: 0.30000000000000004 } });
  });

  it("TIME-03 a calculation that is cancelled ends its process", async () => {
    const controller = new AbortController();
    const endless = engine.executor.execute(
      "calculator",
      { expression: "f(n) = n < 2 ? 1 : f(n - 1) + f(n - 2); f(60)" },
      { signal: controller.signal },
    );
    setTimeout(() => controller.abort(), 100);
    expect(await endless).toMatchObject({ status: "cancelled" });
    expect(await calculate("[2, 2]")).toMatchObject({ result: { result: [2, 2] } });
  });
});
