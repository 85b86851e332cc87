import { expect, it } from "vitest";
import { StdioTransport } from "./stdio-transport";

const LIMITS = { maxMessageBytes: 1000, maxLogLineChars: 100, closeGraceMs: 50, drainMs: 10 };
const ignore = () => undefined;

function transport(): StdioTransport {
  const command = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"], environment: {}, cwd: "." };
  return new StdioTransport(command, LIMITS, { stderr: ignore, noise: ignore, oversized: ignore });
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it("a connection that is closed while its process is being spawned leaves no process behind", async () => {
  const closed = transport();
  const started = closed.start();
  await closed.close();
  await started;
  expect(closed.pid).not.toBeNull();
  expect(exists(closed.pid ?? 0)).toBe(false);
});

it("a connection that was closed spawns nothing any more", async () => {
  const closed = transport();
  await closed.close();
  await expect(closed.start()).rejects.toThrow("closed before it began");
  expect(closed.pid).toBeNull();
});
