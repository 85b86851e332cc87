import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** A program with the command line of the official suite: its scenarios report what they were given. */
const PROGRAM = `
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
const args = process.argv.slice(2);
const option = (name) => args[args.indexOf(name) + 1];
const SCENARIOS = {
  ping: "2025-11-25",
  "tools-list": "2025-06-18,2025-11-25",
  "tools-call-simple-text": "2025-11-25",
  "dns-rebinding-protection": "2025-11-25",
  "http-header-validation": "2025-11-25",
  "server-stateless": "2026-07-28",
  "not-in-the-table": "2025-11-25",
};
if (args[0] === "list") {
  for (const [name, revisions] of Object.entries(SCENARIOS)) console.log("  - " + name + " [" + revisions + "]");
} else {
  const scenario = option("--scenario");
  const url = option("--url");
  let line = "";
  try { line = readFileSync("/proc/self/cmdline", "utf8"); } catch {}
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "fake", version: "1" } } });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  if (scenario === "tools-list" && process.env.HOME?.endsWith("hang")) {
    writeFileSync(path.join(process.env.HOME, "hanging"), JSON.stringify({ pid: process.pid, folder: process.cwd() }));
    setInterval(() => {}, 1000);
    await new Promise(() => {});
  }
  const answer = await fetch(url, { method: "POST", headers, body });
  const check = (id, status, errorMessage) => ({ id, name: id, description: "Says " + id, status, errorMessage });
  const folder = path.join(option("-o"), "server-" + scenario);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "checks.json"), JSON.stringify([
    check("answers", answer.ok ? "SUCCESS" : "FAILURE", answer.ok ? undefined : "HTTP " + answer.status),
    check("hides-address", line.includes(url) ? "FAILURE" : "SUCCESS"),
    check("has-no-secrets", Object.keys(process.env).some((name) => /SECRET/.test(name)) ? "FAILURE" : "SUCCESS"),
    check("twice", "SUCCESS"),
    check("twice", scenario === "ping" ? "WARNING" : "SUCCESS", "\\u001b[31mwarned\\u001b[0m"),
    check("informs", "INFO"),
  ]));
}
`;

/** @param folder the place of the package @returns what a setting names */
export function writeFakeSuite(folder: string): string {
  mkdirSync(path.join(folder, "dist"), { recursive: true });
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ version: "7.7.7", type: "module" }));
  writeFileSync(path.join(folder, "dist", "index.js"), PROGRAM);
  return folder;
}
