import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { bundleWorker } from "./bundle-worker";
import { createStart, type WorkerMessage } from "./start-worker";

function project(): string {
  const rootDir = mkdtempSync(path.join(os.tmpdir(), "bundle-"));
  symlinkSync(path.join(process.cwd(), "node_modules"), path.join(rootDir, "node_modules"));
  cpSync("package.json", path.join(rootDir, "package.json"));
  mkdirSync(path.join(rootDir, "src"));
  writeFileSync(path.join(rootDir, "src/part.ts"), 'export const word: string = "one";\n');
  const worker = 'import { parentPort } from "node:worker_threads";\nimport { word } from "./part";\n';
  writeFileSync(path.join(rootDir, "src/a-worker.ts"), `${worker}parentPort?.postMessage({ value: word });\n`);
  return rootDir;
}

function firstMessage(rootDir: string, source: string): Promise<WorkerMessage | Error> {
  return new Promise((resolve) => {
    createStart(rootDir, { source, heapMb: 64 })({
      onMessage: resolve,
      onEnd: (error) => resolve(error ?? new Error("ended")),
    });
  });
}

it("runs a worker written in TypeScript, and builds it again only when a source changed", async () => {
  const rootDir = project();
  const bundle = () => bundleWorker(rootDir, "src/a-worker.ts");
  expect(await firstMessage(rootDir, "src/a-worker.ts")).toEqual({ value: "one" });
  const built = readFileSync(bundle(), "utf8");
  writeFileSync(bundle(), `${built}// kept\n`);
  expect(readFileSync(bundle(), "utf8")).toContain("// kept");
  writeFileSync(path.join(rootDir, "src/part.ts"), 'export const word: string = "other";\n');
  expect(await firstMessage(rootDir, "src/a-worker.ts")).toEqual({ value: "other" });
});

it("ends at once with the reason when it cannot be built", async () => {
  const rootDir = project();
  const found = await firstMessage(rootDir, "src/missing.ts");
  expect(found).toBeInstanceOf(Error);
  expect(String(found)).toContain("src/missing.ts");
});
