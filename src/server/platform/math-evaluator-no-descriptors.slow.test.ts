import { spawn } from "node:child_process";
import path from "node:path";
import { describe, expect, it } from "vitest";

/** A process that uses up its file descriptors before the first calculation, and gives them back after a few. */
const CHILD = `
  import { closeSync, openSync } from "node:fs";
  import { MathEvaluator } from ${JSON.stringify(path.resolve("src/server/platform/math-evaluator.ts"))};
  const math = new MathEvaluator({ home: process.cwd() });
  const attempt = (expression) =>
    math.evaluate(expression, new AbortController().signal).then(({ result }) => result, (error) => "failed: " + error.message);
  const held = [];
  try { for (;;) held.push(openSync("/dev/null", "r")); } catch {}
  const without = [await attempt("2+2"), await attempt("[1, 2] * 2")];
  for (const descriptor of held) closeSync(descriptor);
  const after = [await attempt("2+2"), await attempt("[1, 2] * 2")];
  process.stdout.write(JSON.stringify({ without, after }));
  await math.close();
  process.exit(0);
`;

function runWithFewDescriptors(): Promise<{ without: unknown[]; after: unknown[] }> {
  const child = spawn(
    "sh",
    ["-c", 'ulimit -n 1024 && exec "$0" --import tsx --input-type=module --eval "$1"', process.execPath, CHILD],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve(JSON.parse(printed)) : reject(new Error(`code ${code}`))));
  });
}

describe.skipIf(process.platform === "win32")("math_eval without a free file descriptor", () => {
  it("IMPL-04 says that it could not start, and calculates again as soon as there are descriptors", async () => {
    const { without, after } = await runWithFewDescriptors();
    const refusal = expect.stringContaining("failed: The calculator could not be started");
    expect(without).toEqual([refusal, refusal]);
    expect(after).toEqual([4, [2, 4]]);
  });
});
