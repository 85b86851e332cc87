import { runEntryPoint } from "./entry-point.mjs";
import { ensureNode, ensureRunnable } from "./setup.mjs";

await runEntryPoint(async () => {
  ensureNode();
  await ensureRunnable();
});
