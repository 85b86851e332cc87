import path from "node:path";
import { runEntryPoint } from "./entry-point.mjs";
import { StepError } from "./run-command.mjs";
import { ensureNode, ensureRunnable } from "./setup.mjs";

// node scripts/image.mjs <folder>: builds, packs and installs Toolroom there. All of what the Dockerfile does to its files.
await runEntryPoint(async () => {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new StepError("Name the folder to install Toolroom in.");
  ensureNode();
  await ensureRunnable();
  const { packToolroom } = await import("./pack.mjs");
  const { installPackage } = await import("./pack/install.mjs");
  await installPackage(await packToolroom(), path.resolve(folder));
});
