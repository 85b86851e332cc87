import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import ts from "typescript";
import { ROOT } from "../project-root.mjs";
import { BUNDLE_OPTIONS, keepScripts } from "../server-code.mjs";

const ENGINE = "src/server/embedded-engine.ts";
const WORKERS = {
  "workers/openapi-worker": "src/server/openapi/openapi-worker.ts",
  "workers/redaction-worker": "src/server/platform/conditions/redaction-worker.ts",
  "workers/traffic-worker": "src/server/main/traffic-worker.ts",
  ...Object.fromEntries(
    ["config-text", "lens", "math", "validation", "verdict"].map((name) => [
      `workers/${name}-worker`,
      `src/server/platform/workers/${name}-worker.ts`,
    ]),
  ),
};
/** Entry points that commands load. They are bundled together, also with the workers, since they share most of the server. */
const COMMANDS = {
  seed: "prisma/seed/index.ts",
  "open-catalog": "src/server/main/open-catalog.ts",
  "stdio-bridge": "src/server/mcp/gateway/stdio/stdio-bridge.mjs",
};
const CLI = { cli: "src/server/cli/main.ts" };
const STORIES = "prisma/seed/stories";

/** @param {import("esbuild").BuildOptions} options */
async function bundle(options) {
  await build({
    ...BUNDLE_OPTIONS,
    outExtension: { ".js": ".mjs" },
    minify: true,
    legalComments: "eof",
    ...options,
  });
}

/** One engine for both kinds of programs. @param {string} dist */
async function writeEngine(dist) {
  const outfile = path.join(dist, "engine.cjs");
  const define = { "import.meta.dirname": "__dirname" };
  await bundle({ entryPoints: [ENGINE], outfile, format: "cjs", outExtension: {}, banner: {}, define });
  writeFileSync(path.join(dist, "engine.mjs"), 'export { createToolEngine } from "./engine.cjs";\n');
  // Its types import nothing, so both read the same text.
  const { outputText } = ts.transpileDeclaration(readFileSync(path.join(ROOT, ENGINE), "utf8"), {});
  for (const ending of ["d.ts", "d.cts"]) writeFileSync(path.join(dist, `engine.${ending}`), outputText);
}

/** The command line, the workers, the engine and the sample data. @param {string} target @param {boolean} hasCli */
export async function writeBundles(target, hasCli) {
  const dist = path.join(target, "dist");
  await bundle({
    entryPoints: { ...COMMANDS, ...WORKERS, ...(hasCli ? CLI : {}) },
    outdir: dist,
    splitting: true,
    plugins: [keepScripts("..")],
  });
  await writeEngine(dist);
  mkdirSync(path.join(dist, "stories"));
  for (const name of readdirSync(path.join(ROOT, STORIES))) {
    copyFileSync(path.join(ROOT, STORIES, name), path.join(dist, "stories", name));
  }
}
