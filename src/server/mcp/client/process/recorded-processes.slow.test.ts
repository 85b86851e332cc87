import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { bundleServerCode } from "../../../../../scripts/server-code.mjs";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import { isAlive } from "../connections.test-support";
import type { ProcessRecord } from "./process-record";

const PRELOAD = path.resolve("e2e/support/darwin-without-proc.cjs");
const DETACHING = path.resolve("e2e/support/mcp-servers/detaching.mjs");
const SUPPORT = "src/server/mcp/client/process/without-proc.test-support.ts";
const LIMITS = JSON.stringify({ maxMessageBytes: 1e6, closeGraceMs: 300, drainMs: 100 });
/** `ps` as macOS has it: it shows environments by the option that procps has under another name. */
const PS_WITH_ENVIRONMENT = `#!/bin/sh
[ "$2" = -E ] && exec /usr/bin/env ps-of-system axeww -o "$4"
exec ps-of-system "$@"
`;

interface Owner {
  process: ChildProcess;
  /** The server, a helper of it, and one whose parent has ended. */
  pids: number[];
  ended: Promise<unknown>;
}

/** A process without `/proc` that runs code of the server, as a Toolroom would. */
function runWithoutProc(code: string, env: Record<string, string>) {
  return spawn(process.execPath, ["--require", PRELOAD, "--input-type=module", "--eval", code], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
}

const readLine = async (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => child.stdout?.once("data", (chunk: Buffer) => resolve(chunk.toString())));

/** A folder of records, and a PATH on which `ps` shows environments or does not. */
function prepare(isEnvironmentShown: boolean): { folder: string; env: Record<string, string> } {
  const base = mkdtempSync(path.join(tmpdir(), "toolroom-records-"));
  const bin = path.join(base, "bin");
  mkdirSync(bin);
  if (isEnvironmentShown) {
    writeFileSync(path.join(bin, "ps"), PS_WITH_ENVIRONMENT);
    writeFileSync(path.join(bin, "ps-of-system"), `#!/bin/sh\nPATH="${process.env.PATH}" exec ps "$@"\n`);
    for (const name of readdirSync(bin)) chmodSync(path.join(bin, name), 0o755);
  }
  return { folder: path.join(base, "processes"), env: { PATH: `${bin}${path.delimiter}${process.env.PATH}` } };
}

async function startOwner(folder: string, env: Record<string, string>): Promise<Owner> {
  const support = await bundleServerCode(SUPPORT);
  const code = `
    import { StdioTransport, strayProcesses } from ${JSON.stringify(support)};
    await strayProcesses.takeOver(${JSON.stringify(folder)}, 200);
    const quiet = () => {};
    const transport = new StdioTransport(
      { command: process.execPath, args: [${JSON.stringify(DETACHING)}], environment: { PATH: process.env.PATH }, cwd: "/" },
      ${LIMITS}, { stderr: quiet, noise: quiet, oversized: quiet });
    transport.onmessage = ({ result }) => process.stdout.write(result.content[0].text + "\\n");
    await transport.start();
    await transport.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "pids", arguments: {} } });
    process.stdin.on("data", (how) => String(how).startsWith("close") ? transport.close().then(() => console.log("closed")) : process.exit(0));
  `;
  const child = runWithoutProc(code, env);
  const pids: number[] = JSON.parse(await readLine(child));
  onTestFinished(() => {
    for (const pid of [child.pid, ...pids].map(Number)) if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });
  expect(pids.map(isAlive)).toEqual([true, true, true]);
  return { process: child, pids, ended: new Promise((resolve) => child.once("exit", resolve)) };
}

/** What the next Toolroom does when it starts. @returns how many processes it ended */
async function endOrphans(folder: string, env: Record<string, string>): Promise<number> {
  const support = await bundleServerCode(SUPPORT);
  const code = `
    import { strayProcesses } from ${JSON.stringify(support)};
    console.log(await strayProcesses.takeOver(${JSON.stringify(folder)}, 200));
  `;
  return Number(await readLine(runWithoutProc(code, env)));
}

const readRecord = (folder: string): ProcessRecord | null => {
  const [name] = readdirSync(folder).filter((each) => each.endsWith(".json"));
  return name === undefined ? null : JSON.parse(readFileSync(path.join(folder, name), "utf8"));
};

async function killOwner({ process: child, ended }: Owner): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}

describe.runIf(process.platform === "linux")("processes of servers on a system without /proc", () => {
  it("end at the next start when Toolroom was killed, by what it had noted down", async () => {
    const { folder, env } = prepare(false);
    const owner = await startOwner(folder, env);
    await waitUntil(() => (readRecord(folder)?.seen.length ?? 0) >= 2, { timeoutMs: 15_000 });
    await killOwner(owner);
    const [, direct = 0] = owner.pids;
    expect(isAlive(direct)).toBe(true);
    expect(await endOrphans(folder, env)).toBeGreaterThanOrEqual(1);
    expect(isAlive(direct)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("end whole where the system shows environments, also those whose parent had ended: stop, exit and kill", async () => {
    for (const how of ["close", "exit", "kill"]) {
      const { folder, env } = prepare(true);
      const owner = await startOwner(folder, env);
      if (how === "kill") {
        await killOwner(owner);
        expect(owner.pids.slice(1).map(isAlive)).toEqual([true, true]);
        expect(await endOrphans(folder, env)).toBeGreaterThanOrEqual(2);
      } else {
        owner.process.stdin?.write(how);
        await (how === "close" ? readLine(owner.process) : owner.ended);
      }
      await waitUntil(() => !owner.pids.some(isAlive));
      expect(readdirSync(folder)).toEqual([]);
      if (how === "close") await killOwner(owner);
    }
  });

  it("of a Toolroom that still runs stay, and so does a foreign process that got an id of a record", async () => {
    const { folder, env } = prepare(false);
    const owner = await startOwner(folder, env);
    expect(await endOrphans(folder, env)).toBe(0);
    expect(owner.pids.map(isAlive)).toEqual([true, true, true]);

    const foreign = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore", detached: true });
    const pid = Number(foreign.pid);
    onTestFinished(() => void foreign.kill("SIGKILL"));
    const reused: ProcessRecord = {
      marker: "/1//reused",
      owner: {
        pid: 4_000_000,
        startedAt: Date.now() - 3_600_000,
      },
      leader: {
        pid,
        startedAt: Date.now() - 3_600_000,
      },
      seen: [{ pid, startedAt: Date.now() - 3_600_000 }],
    };
    writeFileSync(path.join(folder, "reused.json"), JSON.stringify(reused));
    writeFileSync(path.join(folder, "torn.json"), '{"marker":');
    expect(await endOrphans(folder, env)).toBe(0);
    expect(isAlive(pid)).toBe(true);
    expect(readdirSync(folder).filter((name) => /reused|torn/.test(name))).toEqual([]);
    expect(readRecord(folder)?.leader.pid).toBe(owner.pids[0]);
  });
});
