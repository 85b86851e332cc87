import { expect, it } from "vitest";
import { StdioTransport } from "./stdio-transport";

const LIMITS = { maxMessageBytes: 1000, maxLogLineChars: 100, closeGraceMs: 50, drainMs: 10 };
const ignore = () => undefined;

function transport(): StdioTransport {
  const command = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"], environment: {}, cwd: "." };
  return new StdioTransport(command, LIMITS, { stderr: ignore, noise: ignore, oversized: ignore });
}

/** Collects the messages of a process that runs `code`, until it has ended. */
async function collectMessages(code: string): Promise<unknown[]> {
  const command = { command: process.execPath, args: ["-e", code], environment: {}, cwd: "." };
  const limits = { ...LIMITS, maxMessageBytes: 64 * 1024 * 1024 };
  const reading = new StdioTransport(command, limits, { stderr: ignore, noise: ignore, oversized: ignore });
  const messages: unknown[] = [];
  reading.onmessage = (message) => void messages.push(message);
  const closed = new Promise<void>((resolve) => {
    reading.onclose = resolve;
  });
  await reading.start();
  await closed;
  return messages;
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

it("messages around a large one arrive whole and in order, also when the process ends after them", async () => {
  const code = `
    const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
    send(1, {});
    send(2, { rows: Array.from({ length: 60000 }, (_, index) => ({ index, name: "row " + index })) });
    send(3, {});
    send(4, { text: "x".repeat(3000000) });
    send(5, {});`;
  const messages = (await collectMessages(code)) as {
    id: number;
    result: { rows?: { index: number }[]; text?: string };
  }[];
  expect(messages.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
  expect(messages[1]?.result.rows?.map(({ index }) => index)).toEqual(
    Array.from({ length: 60_000 }, (_, index) => index),
  );
  expect(messages[3]?.result.text).toHaveLength(3_000_000);
});
