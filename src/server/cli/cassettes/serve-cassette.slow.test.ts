import { spawn } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { formatCassette } from "../../../lib/cassette/cassette-file";
import { cassetteInputSchema } from "../../../lib/contract/cassette";

const FILE = formatCassette(cassetteInputSchema.parse({ name: "demo" }), [
  '{"tool":{"name":"read","inputSchema":{"type":"object"}},"server":"files"}',
  '{"call":"read","server":"files","arguments":{"path":"a.txt"},"result":{"content":[{"type":"text","text":"A"}]}}',
]);
const INITIALIZE = {
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};

/** Sends the messages one after the other, each when the one before is answered, then ends stdin. */
async function serve(file: string, messages: object[], ...more: string[]) {
  const args = [path.resolve("scripts/toolroom.mjs"), "cassette", "serve", file, ...more];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "pipe"] });
  let out = "";
  let errors = "";
  const send = (index: number): void => {
    const message = messages[index];
    if (message === undefined) child.stdin.end();
    else child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: index, ...message })}\n`);
  };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const before = out.split("\n").length;
    out += chunk;
    for (let line = before; line < out.split("\n").length; line += 1) send(line);
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    errors += chunk;
  });
  child.stdin.on("error", () => undefined);
  send(0);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, errors, answers: out.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)])) };
}

const call = (file: string) => ({ method: "tools/call", params: { name: "read", arguments: { path: file } } });

describe("a cassette file over stdio", () => {
  it("answers as recorded without a Toolroom, reports, and ends with 1 for what it fails on", async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "cassette-"));
    const file = path.join(folder, "demo.cassette.jsonl");
    await writeFile(file, FILE);
    const whole = await serve(file, [INITIALIZE, call("a.txt")], "--report", path.join(folder, "report.json"));
    expect(whole.answers[1].result.content).toEqual([{ type: "text", text: "A" }]);
    expect([whole.code, whole.errors.trim()]).toEqual([0, "reused=1/1 misses=0 live=0"]);
    const report = JSON.parse(await readFile(path.join(folder, "report.json"), "utf8"));
    expect(report).toMatchObject({ cassette: "demo", figures: { reused: 1 }, plays: [{ outcome: "served" }] });
    const missed = await serve(file, [INITIALIZE, call("b.txt")]);
    expect(missed.answers[1].result.isError).toBe(true);
    expect(missed.code).toBe(1);
    expect(missed.errors).toContain("miss: No recording of 'read'");
    await writeFile(file, FILE.replace('"arguments":{', '"arguments":3,"x":{'));
    const broken = await serve(file, []);
    expect([broken.code, broken.errors]).toEqual([2, expect.stringContaining('Line 3: "x" is unknown')]);
  }, 120_000);
});
