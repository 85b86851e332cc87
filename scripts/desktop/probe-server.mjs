#!/usr/bin/env node
// The MCP server of the drive: a package of its own that `npx` starts. With `--stubborn` it and its helper outlive the end of their input.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const isStubborn = process.argv.includes("--stubborn");
const STAY = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);";
const helper = spawn(process.execPath, ["-e", STAY], {
  stdio: "ignore",
  windowsHide: true,
});

const TOOLS = [
  {
    name: "echo",
    description: "Returns its text",
    inputSchema: {
      type: "object",
      properties: {
        text: {
          type: "string",
        },
      },
      required: ["text"],
    },
  },
  {
    name: "tree",
    description: "Returns the ids of this process, its parent and its helper",
    inputSchema: {
      type: "object",
    },
  },
];

/** @param {number} id @param {object} body */
const reply = (id, body) => process.stdout.write(`${JSON.stringify(Object.assign({ jsonrpc: "2.0", id }, body))}\n`);

/** @param {{ name: string, arguments?: { text?: string } }} call */
function runTool({ name, arguments: given }) {
  const text = name === "echo" ? (given?.text ?? "") : JSON.stringify([process.pid, process.ppid, helper.pid]);
  return { content: [{ type: "text", text }] };
}

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  if (line.trim() === "") return;
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "initialize") {
    const serverInfo = { name: "probe", version: "1.0.0" };
    reply(id, { result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === "ping") reply(id, { result: {} });
  else if (method === "tools/list") reply(id, { result: { tools: TOOLS } });
  else if (method === "tools/call") reply(id, { result: runTool(params) });
  else reply(id, { error: { code: -32601, message: `No method ${method}` } });
});
if (isStubborn) {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1000);
} else {
  lines.on("close", () => {
    helper.kill("SIGKILL");
    process.exit(0);
  });
}
