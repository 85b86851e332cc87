import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { bundleServerCode } from "../../../../../scripts/server-code.mjs";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import { isAlive } from "../connections.test-support";

const SUPPORT = "src/server/mcp/client/process/without-proc.test-support.ts";
/** A server with a helper; with `stays` it goes on after the end of its input. */
const SERVER = `
  const helper = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  console.log(JSON.stringify([process.pid, helper.pid]));
  process.stdin.resume();
  if (process.argv[1] === "stays") setInterval(() => {}, 1000);
  else process.stdin.on("end", () => process.exit(0));
`;
/** What Windows has by these names. On Linux the first is a single name on the PATH. */
const PROGRAMS = {
  "C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe": `
    for (const line of ps.split("\\n")) {
      const [, pid, parent, start] = /^ *(\\d+) +(\\d+) +(.*)$/.exec(line) ?? [];
      if (pid) console.log([pid, parent, BigInt(Date.parse(start + " UTC")) * 10000n + 116444736000000000n].join("\\t"));
    }`,
  taskkill: `
    const [, root, tree, force] = process.argv.slice(2);
    if (tree !== "/T" || force !== "/F") process.exit(1);
    const all = ps.split("\\n").map((line) => line.trim().split(/ +/).map(Number));
    const found = [Number(root)];
    for (const one of found) for (const [pid, parent] of all) if (parent === one) found.push(pid);
    for (const pid of found.reverse()) process.kill(pid, "SIGKILL");`,
};

/** Programs that note their calls, and a Node that is Windows by its name. */
function prepare() {
  const base = mkdtempSync(path.join(tmpdir(), "toolroom-windows-"));
  const bin = path.join(base, "bin");
  mkdirSync(bin);
  for (const [name, code] of Object.entries(PROGRAMS)) {
    const calls = JSON.stringify(path.join(base, `${path.win32.basename(name)}.calls`));
    const start = `require("node:fs").appendFileSync(${calls}, "call\\n");
      const env = { ...process.env, LC_ALL: "C", TZ: "UTC0" };
      const ps = require("node:child_process").execFileSync("ps", ["-axww", "-o", "pid=,ppid=,lstart="], { env, encoding: "utf8" });`;
    writeFileSync(path.join(bin, name), `#!${process.execPath}\n${start}${code}\n`);
    chmodSync(path.join(bin, name), 0o755);
  }
  const preload = path.join(base, "windows.cjs");
  writeFileSync(preload, 'Object.defineProperty(process, "platform", { value: "win32" });');
  const countCalls = (program: string): number => {
    const file = path.join(base, `${program}.calls`);
    return existsSync(file) ? readFileSync(file, "utf8").length / "call\n".length : 0;
  };
  const PATH = `${bin}${path.delimiter}${process.env.PATH}`;
  return {
    notes: path.join(base, "processes"),
    preload,
    countCalls,
    env: { ...process.env, PATH, SystemRoot: "C:\\Windows" },
  };
}

type Prepared = ReturnType<typeof prepare>;

function run({ preload, env }: Prepared, code: string): ChildProcess {
  return spawn(process.execPath, ["--require", preload, "--input-type=module", "--eval", code], {
    stdio: ["pipe", "pipe", "inherit"],
    env,
  });
}

const readLine = async (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => child.stdout?.once("data", (chunk: Buffer) => resolve(chunk.toString())));

const hasNote = ({ notes }: Prepared, pid: number): boolean =>
  readdirSync(notes).some((name) => readFileSync(path.join(notes, name), "utf8").includes(`{"pid":${pid},`));

/** Its parent has taken its status: until then an id exists, and Windows has no such state. */
const isReaped = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

/** A Toolroom with one server. A word on its input ends the server, or itself. */
async function startOwner(prepared: Prepared, kind: "stays" | "ends") {
  const support = await bundleServerCode(SUPPORT);
  const child = run(
    prepared,
    `import { spawn } from "node:child_process";
    import { createMarker, ProcessGroup, strayProcesses } from ${JSON.stringify(support)};
    await strayProcesses.takeOver(${JSON.stringify(prepared.notes)}, 200);
    const server = spawn(process.execPath, ["-e", ${JSON.stringify(SERVER)}, "${kind}"], { stdio: ["pipe", "pipe", "ignore"] });
    const group = new ProcessGroup(server, server.pid, createMarker());
    server.stdout.once("data", (line) => { group.noteMessage(); process.stdout.write(line); });
    process.stdin.on("data", (word) => String(word) === "end" ? group.end(300).then(() => console.log("ended")) : process.exit(0));`,
  );
  const pids: [number, number] = JSON.parse(await readLine(child));
  onTestFinished(() => {
    for (const pid of [Number(child.pid), ...pids]) if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });
  await waitUntil(() => hasNote(prepared, pids[1]), { timeoutMs: 15_000 });
  return { child, pids };
}

describe.runIf(process.platform === "linux")("on a system that is Windows by its name, a server's processes", () => {
  it("end as a tree while the first one lives, when the server stops and when Toolroom exits", async () => {
    for (const word of ["end", "exit"]) {
      const prepared = prepare();
      const { child, pids } = await startOwner(prepared, "stays");
      child.stdin?.write(word);
      await waitUntil(() => !pids.some(isAlive), { timeoutMs: 15_000 });
      expect(prepared.countCalls("taskkill")).toBe(1);
    }
  });

  it("end by the notes where the first one has ended before: at a stop, and at the next start after a kill", async () => {
    for (const how of ["stop", "kill"]) {
      const prepared = prepare();
      const { child, pids } = await startOwner(prepared, "ends");
      if (how === "stop") child.stdin?.write("end");
      else {
        child.kill("SIGKILL");
        await waitUntil(() => !isAlive(pids[0]));
        expect(isAlive(pids[1])).toBe(true);
        const support = await bundleServerCode(SUPPORT);
        const next = run(
          prepared,
          `import { strayProcesses } from ${JSON.stringify(support)};
          console.log(await strayProcesses.takeOver(${JSON.stringify(prepared.notes)}, 200));`,
        );
        expect(Number(await readLine(next))).toBeGreaterThanOrEqual(1);
      }
      await waitUntil(() => !pids.some(isAlive), { timeoutMs: 15_000 });
      await waitUntil(() => readdirSync(prepared.notes).length === 0);
    }
  });

  it("are not listed again at a stop that leaves none", async () => {
    const prepared = prepare();
    const { child, pids } = await startOwner(prepared, "ends");
    const listings = prepared.countCalls("powershell.exe");
    process.kill(pids[1], "SIGKILL");
    await waitUntil(() => isReaped(pids[1]));
    child.stdin?.write("end");
    expect(await readLine(child)).toBe("ended\n");
    expect(prepared.countCalls("powershell.exe")).toBe(listings);
  });
});
