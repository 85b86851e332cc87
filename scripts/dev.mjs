import { spawn } from "node:child_process";
import { runEntryPoint } from "./entry-point.mjs";
import { applyLocations, demandDataFolder } from "./locations.mjs";
import { packageBin } from "./run-command.mjs";
import { ensureDependencies, ensureNode, ensurePrismaClient } from "./setup.mjs";

await runEntryPoint(async (release) => {
  ensureNode();
  if (process.env.TOOLROOM_DATA) demandDataFolder(applyLocations().data);
  await ensureDependencies();
  await ensurePrismaClient();
  release();
  const args = ["dev", "-H", process.env.HOST || "127.0.0.1", "-p", process.env.PORT || "3000"];
  const child = spawn(process.execPath, [packageBin("next"), ...args], {
    stdio: "inherit",
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1" },
  });
  // The terminal sends Ctrl+C to the child too; this process waits until the child has ended.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.on("exit", (code, signal) => process.exit(signal ? 0 : (code ?? 0)));
});
