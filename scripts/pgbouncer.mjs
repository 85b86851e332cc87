import { spawn } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chooseUser, findFreePort } from "./postgres-cluster.mjs";

const START_LIMIT_MS = 30_000;
/**
 * Starts a pooler in front of a server that wants no password, on a free port of this machine.
 * @param {string} program as `findPgbouncer` @param {string} url of the server @param {{ mode?: "transaction" | "session", settings?: string[] }} [options]
 * @returns {Promise<{ url: string, stop(): Promise<void> }>} `url` with the pooler in place of the server
 */
export async function startPgbouncer(program, url, { mode = "transaction", settings = [] } = {}) {
  const folder = mkdtempSync("/tmp/trpb-");
  const user = chooseUser();
  const port = await findFreePort();
  const { hostname, port: serverPort } = new URL(url);
  const lines = [
    "[databases]",
    `* = host=${hostname} port=${serverPort}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = trust",
    `auth_file = ${path.join(folder, "users")}`,
    `pool_mode = ${mode}`,
    ...settings,
  ];
  writeFileSync(path.join(folder, "ini"), `${lines.join("\n")}\n`);
  writeFileSync(path.join(folder, "users"), '"toolroom" ""\n');
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const child = spawn(program, ["-q", path.join(folder, "ini")], { stdio: "ignore", ...(user ?? {}) });
  // Without a listener, a program that cannot be started would end the process.
  const ended = new Promise((resolve) => child.once("error", resolve).once("exit", resolve));
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const giveUpAt = Date.now() + START_LIMIT_MS;
  while (!(await isListening(port))) {
    if (child.exitCode !== null || Date.now() > giveUpAt) {
      await stop();
      throw new Error(`${program} did not start`);
    }
    await sleep(20);
  }
  const through = new URL(url);
  through.hostname = "127.0.0.1";
  through.port = String(port);
  return { url: through.href, stop };
}

/** @param {number} port @returns {Promise<boolean>} */
function isListening(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
