import { describe, expect, it } from "vitest";
import { excerpt, runCommand } from "./run-command.mjs";

describe("a command that a script runs", () => {
  it("gives its exit code and what it printed on both streams", async () => {
    const { code, output } = await runCommand(process.execPath, [
      "-e",
      'console.log("to stdout"); console.error("to stderr"); process.exitCode = 3',
    ]);
    expect(code).toBe(3);
    expect(output).toContain("to stdout");
    expect(output).toContain("to stderr");
  });

  it("has code 127 when it cannot be started", async () => {
    await expect(runCommand("/no/such/program", [])).resolves.toMatchObject({ code: 127 });
  });

  it("is ended at its limit, with code 124", async () => {
    const result = await runCommand(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { timeoutMs: 300 });
    expect(result.code).toBe(124);
  });

  it("gets no input to wait for", async () => {
    const script = 'process.stdin.on("end", () => console.log("ended")).resume()';
    await expect(runCommand(process.execPath, ["-e", script])).resolves.toMatchObject({ code: 0, output: "ended\n" });
  });

  it("is quoted with its first and its last lines when it said much", () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    const quoted = excerpt(lines.join("\n")).split("\n");
    expect(quoted[0]).toBe("line 0");
    expect(quoted.at(-1)).toBe("line 99");
    expect(quoted.length).toBeLessThan(40);
    expect(excerpt("one\ntwo\n")).toBe("one\ntwo");
  });
});
