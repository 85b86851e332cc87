import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runEntryPoint } from "./entry-point.mjs";
import { ROOT } from "./project-root.mjs";
import { ensureBuild, ensureDependencies, ensurePrismaClient } from "./setup.mjs";

// The server of the browser tests: the build of these sources, an empty database, the example configuration.
await runEntryPoint(async (release) => {
  await ensureDependencies();
  await ensurePrismaClient();
  await ensureBuild();
  const directory = mkdtempSync(path.join(tmpdir(), "toolroom-e2e-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  process.env.HOST = "127.0.0.1";
  process.env.PORT = process.env.E2E_PORT || "4173";
  process.env.DATABASE_URL = `file:${path.join(directory, "toolroom.db")}`;
  process.env.TOOLROOM_CONFIG = path.join(ROOT, "config", "toolroom.example.json");
  // The journeys use the demo model, never a developer's API keys.
  for (const key of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OLLAMA_HOST"]) {
    delete process.env[key];
  }
  release();
  await import("../server.mjs");
});
