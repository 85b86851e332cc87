import { expect, it } from "vitest";
import { formatLogLine } from "./logger";

it("a warning in a terminal is a sentence with its facts and its cause, without control characters", () => {
  const line = {
    level: 40,
    time: 1,
    tool: "echo\u001b[2J",
    ms: 1200,
    err: { message: "It broke", stack: "…" },
    msg: "Slow tool",
  };
  expect(formatLogLine(`${JSON.stringify(line)}\n`)).toBe(
    "Warning: Slow tool (tool: echo [2J, ms: 1200, cause: It broke)\n",
  );
  expect(formatLogLine('{"level":50,"time":1,"msg":"No disk"}\n')).toBe("Error: No disk\n");
});
