import { execFileSync } from "node:child_process";
import { constants, mkdtempSync, openSync, read as readFromPipe, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { createLogDestination, formatLogLine } from "./logger";

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

it("unread log lines take a limited amount of memory, and those in it are written once they are read", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-log-"));
  const pipe = path.join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  // Opened for both, so that neither waits for the other.
  const fd = openSync(pipe, constants.O_RDWR);
  const destination = createLogDestination(fd);
  const line = `${"x".repeat(1023)}\n`;
  let dropped = 0;
  destination.on("drop", () => {
    dropped += 1;
  });
  for (let written = 0; written < 8192; written += 1) destination.write(line);
  expect(dropped).toBeGreaterThan(4000);
  let read = 0;
  const buffer = Buffer.alloc(1_048_576);
  const expected = (8192 - dropped) * line.length;
  while (read < expected)
    read += await new Promise<number>((resolve, reject) =>
      readFromPipe(fd, buffer, 0, buffer.length, null, (error, bytes) =>
        error === null ? resolve(bytes) : reject(error),
      ),
    );
  expect(read).toBe(expected);
  destination.destroy();
  rmSync(folder, { recursive: true });
});
