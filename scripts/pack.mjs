import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { runEntryPoint } from "./entry-point.mjs";
import { findFaults } from "./pack/check-package.mjs";
import { ROOT, STATE_DIR } from "./project-root.mjs";
import { runNpm, StepError } from "./run-command.mjs";
import { ensureNode, ensureRunnable, report } from "./setup.mjs";

// npm run package: makes toolroom-<version>.tgz, which runs without a build: see docs/decisions/0065-the-package.md.
const STAGE = path.join(STATE_DIR, "package");

/** @param {Record<string, string>} bundled the packages inside, with their versions @param {string} bin */
function writeManifest(bundled, bin) {
  const { name, version, description, license, keywords, engines } = JSON.parse(
    readFileSync(path.join(ROOT, "package.json"), "utf8"),
  );
  const manifest = {
    name,
    version,
    description,
    license,
    keywords,
    engines,
    type: "module",
    bin: { toolroom: bin },
    exports: {
      "./engine": {
        import: { types: "./dist/engine.d.ts", default: "./dist/engine.mjs" },
        require: { types: "./dist/engine.d.cts", default: "./dist/engine.cjs" },
      },
      "./package.json": "./package.json",
    },
    dependencies: bundled,
    bundleDependencies: Object.keys(bundled),
  };
  writeFileSync(path.join(STAGE, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Makes the package from the build that is there. @returns {Promise<string>} the file */
export async function packToolroom() {
  // Packages that only development has: the module must load without them, since a fresh clone installs them first.
  const { copyBuild, copyOwnFiles } = await import("./pack/own-files.mjs");
  const { writeBundles } = await import("./pack/bundles.mjs");
  const { copyNodeModules, writeNotices } = await import("./pack/node-modules.mjs");
  rmSync(STAGE, { recursive: true, force: true });
  mkdirSync(STAGE, { recursive: true });
  const hasCli = existsSync(path.join(ROOT, "scripts/toolroom.mjs"));
  const bin = hasCli ? "scripts/toolroom.mjs" : "scripts/start.mjs";
  await copyOwnFiles(STAGE, bin);
  copyBuild(STAGE);
  await writeBundles(STAGE, hasCli);
  const { dependencies } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"));
  writeManifest(copyNodeModules(STAGE), bin);
  writeNotices(STAGE, Object.keys(dependencies));
  const faults = findFaults(STAGE, [ROOT]);
  if (faults.length > 0) throw new StepError("The package holds what it must not.", { output: faults.join("\n") });
  const { code, output } = await runNpm([
    "pack",
    STAGE,
    "--ignore-scripts",
    "--loglevel=error",
    "--pack-destination",
    STATE_DIR,
  ]);
  const file = /^\S+\.tgz$/m.exec(output)?.[0];
  if (code !== 0 || file === undefined) throw new StepError("npm pack failed.", { output });
  return path.join(STATE_DIR, file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runEntryPoint(async () => {
    ensureNode();
    await ensureRunnable();
    const packed = await packToolroom();
    const file = path.join(ROOT, path.basename(packed));
    copyFileSync(packed, file);
    const size = (statSync(file).size / 1_000_000).toFixed(1);
    report("package", `${path.basename(file)}, ${size} MB. Start it with: npx ./${path.basename(file)}`);
  });
}
