import { expect, it, onTestFinished } from "vitest";
import { DEFAULT_LIMITS } from "../connection/connection-limits";
import { StdioTransport } from "./stdio-transport";

const ECHO = "process.stdin.on('data', () => {}); process.stdin.on('end', () => process.exit(0))";
const MESSAGE = { jsonrpc: "2.0" as const, method: "notifications/test", params: { text: "x".repeat(100_000) } };

it("many messages that the pipe does not take at once add no listeners to it", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on("warning", onWarning);
  const command = { command: process.execPath, args: ["-e", ECHO], env: {}, cwd: process.cwd() };
  const transport = new StdioTransport(command as never, DEFAULT_LIMITS, {
    stderr: () => undefined,
    noise: () => undefined,
    oversized: () => undefined,
  });
  onTestFinished(async () => {
    process.off("warning", onWarning);
    await transport.close();
  });
  await transport.start();
  await Promise.all(Array.from({ length: 40 }, () => transport.send(MESSAGE)));
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual([]);
});
