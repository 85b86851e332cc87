import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withSetupLock } from "./setup-lock.mjs";

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "toolroom-lock-"));
  file = path.join(directory, "setup.lock");
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const nobodyWaits = (pid: number) => {
  throw new Error(`waited for ${pid}`);
};

function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

/** The id of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ["-e", ""]).pid;
}

describe("the lock around installing and building", () => {
  it("lets one in at a time, and tells the one that waits whom it waits for", async () => {
    const events: string[] = [];
    const waitedFor: number[] = [];
    const entered = createGate();
    const finish = createGate();
    const first = withSetupLock(
      async () => {
        events.push("first in");
        entered.open();
        await finish.opened;
        events.push("first out");
      },
      nobodyWaits,
      file,
    );
    await entered.opened;
    const second = withSetupLock(
      async () => {
        events.push("second in");
      },
      (pid) => {
        waitedFor.push(pid);
        finish.open();
      },
      file,
    );
    await Promise.all([first, second]);
    expect(events).toEqual(["first in", "first out", "second in"]);
    expect(waitedFor).toEqual([process.pid]);
  });

  it("is free again after work that failed", async () => {
    const failing = withSetupLock(() => Promise.reject(new Error("no space left")), nobodyWaits, file);
    await expect(failing).rejects.toThrow("no space left");
    expect(existsSync(file)).toBe(false);
    await expect(withSetupLock(async () => "done", nobodyWaits, file)).resolves.toBe("done");
  });

  it("is taken over from a process that is gone", async () => {
    writeFileSync(file, `${deadPid()} 1`);
    await expect(withSetupLock(async () => "done", nobodyWaits, file)).resolves.toBe("done");
  });

  it("is taken over when its holder's id belongs to another process by now, which gives no sign", async () => {
    writeFileSync(file, `${process.ppid} 1`);
    const longAgo = new Date(Date.now() - 3_600_000);
    utimesSync(file, longAgo, longAgo);
    await expect(withSetupLock(async () => "done", nobodyWaits, file)).resolves.toBe("done");
  });

  it("says at once when no lock can be made at all", async () => {
    const impossible = path.join(directory, "setup.lock", "inside-a-file", "lock");
    writeFileSync(file, "a file, not a folder");
    await expect(withSetupLock(async () => "done", nobodyWaits, impossible)).rejects.toThrow();
  });
});
