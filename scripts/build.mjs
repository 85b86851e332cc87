import { runEntryPoint } from "./entry-point.mjs";
import { ensureBuild, ensureDependencies, ensureNode, ensurePrismaClient } from "./setup.mjs";

await runEntryPoint(async () => {
  ensureNode();
  await ensureDependencies();
  await ensurePrismaClient();
  await ensureBuild();
});
