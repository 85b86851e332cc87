import { SEED_PATH } from "./control.mjs";
import { runEntryPoint } from "./entry-point.mjs";
import { applyLocations, IS_PACKAGE } from "./locations.mjs";
import { ROOT } from "./project-root.mjs";
import { failStep, StepError } from "./run-command.mjs";
import { isAlive, readRunningServer, serverFile, serverStatus, signControlRequest } from "./running-server.mjs";
import { loadTypeScript, prepareServerCode } from "./server-code.mjs";
import { ensureNode, report } from "./setup.mjs";

/** The server that uses the database, through which alone it can be changed. */
async function findServer() {
  const note = serverFile(process.env.TOOLROOM_ROOT || ROOT, process.env.DATABASE_URL);
  const noted = readRunningServer(note);
  if (noted === null || !isAlive(noted.pid)) return null;
  const status = await serverStatus(noted.url, note);
  if (status === null) return null;
  if (status === "ok") return { note, url: noted.url };
  throw new StepError(`The Toolroom at ${noted.url} is ${status}.`, { wayOut: "Try again in a moment." });
}

/** @param {ReadableStream<Uint8Array>} body @returns {AsyncGenerator<{ scenario?: string, outcome?: string, done?: boolean, error?: string }>} */
async function* readLines(body) {
  let rest = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
}

/** @param {{ note: string, url: string }} server @param {readonly string[]} names */
async function seedThrough({ note, url }, names) {
  report("server", `${url}, which stays running`);
  const body = JSON.stringify({ scenarios: names });
  const headers = { "content-type": "application/json", ...signControlRequest(note, SEED_PATH, body) };
  const response = await fetch(new URL(SEED_PATH, url), { method: "POST", headers, body, redirect: "error" });
  if (!response.ok || response.body === null) {
    const { error } = await response.json().catch(() => ({}));
    throw new StepError(`The Toolroom at ${url} refused: ${error?.message ?? response.status}`, {
      wayOut: "Stop it, or start it again with this version.",
    });
  }
  for await (const { scenario, outcome, done, error } of readLines(response.body)) {
    if (error !== undefined) throw new StepError(error, { wayOut: "What was reported before was added." });
    if (done) return;
    report(scenario ?? "", outcome ?? "");
  }
  throw new StepError("The server ended before the sample data was complete.", { wayOut: "Start it, and seed again." });
}

// npm run seed [scenario…]: adds sample data to the database that DATABASE_URL names, data/toolroom.db by default; through the
// server that uses it, where one is running.
await runEntryPoint(async () => {
  const names = process.argv.slice(2);
  ensureNode();
  applyLocations();
  const server = await findServer();
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
  if (server === null) await seed(env, names, report).catch(failStep);
  else await seedThrough(server, names);
});
