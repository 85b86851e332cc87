import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { bundleWorker } from "./bundle-worker";
import { createStart, type WorkerMessage } from "./start-worker";

function project(): string {
  const home = mkdtempSync(path.join(os.tmpdir(), "bundle-"));
  symlinkSync(path.join(process.cwd(), "node_modules"), path.join(home, "node_modules"));
  cpSync("package.json", path.join(home, "package.json"));
  mkdirSync(path.join(home, "src"));
  writeFileSync(path.join(home, "src/part.ts"), 'export const word: string = "one";\n');
  const worker = 'import { parentPort } from "node:worker_threads";\nimport { word } from "./part";\n';
  writeFileSync(path.join(home, "src/a-worker.ts"), `${worker}parentPort?.postMessage({ value: word });\n`);
  return home;
}

function firstMessage(home: string, source: string): Promise<WorkerMessage | Error> {
  return new Promise((resolve) => {
    createStart(home, { source, heapMb: 64 })({
      onMessage: resolve,
      onEnd: (error) => resolve(error ?? new Error("ended")),
    });
  });
}

it("runs a worker written in TypeScript, and builds it again only when a source changed", async () => {
  const home = project();
  const bundle = () => bundleWorker(home, "src/a-worker.ts");
  expect(await firstMessage(home, "src/a-worker.ts")).toEqual({ value: "one" });
  const built = readFileSync(bundle(), "utf8");
  writeFileSync(bundle(), `${built}// kept\n`);
  expect(readFileSync(bundle(), "utf8")).toContain("// kept");
  writeFileSync(path.join(home, "src/part.ts"), 'export const word: string = "other";\n');
  expect(await firstMessage(home, "src/a-worker.ts")).toEqual({ value: "other" });
});

it("runs the bundle of the package, where nothing is built", async () => {
  const home = mkdtempSync(path.join(os.tmpdir(), "packed-"));
  mkdirSync(path.join(home, "dist/workers"), { recursive: true });
  const worker = 'import { parentPort } from "node:worker_threads";\nparentPort.postMessage({ value: "packed" });\n';
  writeFileSync(path.join(home, "dist/workers/a-worker.mjs"), worker);
  expect(await firstMessage(home, "src/a-worker.ts")).toEqual({ value: "packed" });
  expect(readdirSync(home)).toEqual(["dist"]);
});

it("ends at once with the reason when it cannot be built", async () => {
  const home = project();
  const found = await firstMessage(home, "src/missing.ts");
  expect(found).toBeInstanceOf(Error);
  expect(String(found)).toContain("src/missing.ts");
});
