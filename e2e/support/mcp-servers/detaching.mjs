// Starts helpers that leave its process group and session, ignore SIGTERM, and outlive it unless they are ended.
import { spawn } from "node:child_process";
import { serveStdio, text } from "./stdio-server.mjs";

const helper = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
// One directly, and one whose parent ends at once: it belongs to the first process of the system then.
const direct = spawn(process.execPath, ["-e", helper], { stdio: "ignore", detached: true });
const script = `const { spawn } = require("node:child_process");
const child = spawn(process.execPath, ["-e", ${JSON.stringify(helper)}], { stdio: "ignore", detached: true });
process.stdout.write(String(child.pid), () => process.exit(0));`;
const parent = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "ignore"], detached: true });
const orphan = new Promise((resolve) => parent.stdout.once("data", (chunk) => resolve(Number(chunk))));

serveStdio({
  name: "detaching",
  tools: [{ name: "pids", run: async () => text(JSON.stringify([process.pid, direct.pid, await orphan])) }],
});
