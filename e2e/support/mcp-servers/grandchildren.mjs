// Starts helpers that hold its standard output open, and outlive it if nobody ends them.
import { spawn } from "node:child_process";
import { serveStdio, text } from "./stdio-server.mjs";

const helper = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
const children = [0, 1].map(() => spawn(process.execPath, ["-e", helper], { stdio: ["ignore", "inherit", "inherit"] }));

serveStdio({
  name: "grandchildren",
  tools: [
    { name: "pids", run: () => text(JSON.stringify([process.pid, ...children.map(({ pid }) => pid)])) },
    {
      name: "exit",
      run: () => {
        process.stderr.write("leaving my helpers behind\n", () => process.exit(4));
      },
    },
  ],
});
