import { runEntryPoint } from "./entry-point.mjs";
import { IS_PACKAGE } from "./locations.mjs";
import { failStep, StepError } from "./run-command.mjs";
import { loadTypeScript, prepareServerCode } from "./server-code.mjs";
import { report } from "./setup.mjs";

// npm run seed [scenario…]: fills the database that DATABASE_URL names, data/toolroom.db by default.
await runEntryPoint(async () => {
  const names = process.argv.slice(2);
  await prepareServerCode();
  // Scenarios contain failing calls on purpose; their log lines would hide the summary.
  process.env.TOOLROOM_LOG_LEVEL ||= "silent";
  if (!IS_PACKAGE) await loadTypeScript();
  const scenarios = IS_PACKAGE ? "../dist/seed.mjs" : "../prisma/seed/index.ts";
  const { describeScenarios, readEnv, seed, unknownScenarios } = await import(scenarios);
  const unknown = unknownScenarios(names);
  if (unknown.length > 0) {
    throw new StepError(`Unknown scenario: ${unknown.map((name) => `"${name}"`).join(", ")}.`, {
      wayOut: `Nothing was changed. The scenarios are:\n${describeScenarios()}`,
    });
  }
  const env = readEnv();
  report("database", env.database.location);
  await seed(env, names, report).catch(failStep);
});
