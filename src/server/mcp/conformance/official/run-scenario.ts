import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { ConformanceCheck } from "../../../../lib/contract/conformance";
import { CONFORMANCE_OUTCOMES } from "../../../../lib/contract/conformance-outcome";
import { isPlainObject } from "../../../../lib/contract/json";
import { runProgram } from "./run-program";
import type { InstalledSuite, SuitePlace } from "./suite-files";

export interface SuiteProgram {
  suite: InstalledSuite;
  place: SuitePlace;
  signal: AbortSignal;
}

export interface Scenario {
  name: string;
  /** Null for a scenario of an extension. */
  revision: string | null;
}

const SCENARIO_LIMIT_MS = 60_000;
const LIST_LIMIT_MS = 30_000;
const RESULTS = "checks.json";
const MAX_RESULT_BYTES = 4 * 1024 * 1024;
const MAX_CHECKS = 200;
const EXTENSION = "extension";
/** What programs need to run at all; the suite gets nothing of Toolroom's own. */
const INHERITED = ["PATH", "HOME", "LANG", "TMPDIR", "TEMP", "TMP", "SystemRoot", "USERPROFILE"];

const OUTCOMES: Readonly<Record<string, ConformanceCheck["outcome"]>> = {
  SUCCESS: "passed",
  FAILURE: "failed",
  WARNING: "warning",
  SKIPPED: "skipped",
  INFO: "skipped",
};

/** The scenarios for servers that the suite has, with the revisions that each belongs to. @throws Error */
export async function listScenarios(program: SuiteProgram): Promise<{ name: string; revisions: string[] }[]> {
  const { code, output } = await inFolder((folder) =>
    runSuite(program, { folder, args: ["list", "--server"], timeoutMs: LIST_LIMIT_MS }),
  );
  const found = [...output.matchAll(/^\s*- ([\w-]+) \[([^\]]*)\]/gm)];
  if (code !== 0 || found.length === 0) {
    throw new Error(`The official suite does not start: ${lastLine(output) || `it ended with code ${code}`}`);
  }
  return found.map(([, name = "", revisions = ""]) => ({ name, revisions: revisions.split(",") }));
}

/** The revisions of a scenario that a server speaks. An extension belongs to none, and needs the newest. */
export function chooseRevisions(revisions: readonly string[], spoken: readonly string[], newest: string) {
  const chosen: (string | null)[] = spoken.filter((each) => revisions.includes(each));
  if (revisions.includes(EXTENSION) && spoken.includes(newest)) chosen.push(null);
  return chosen;
}

/** @param url of the server, as the suite reaches it */
export async function runScenario(program: SuiteProgram, scenario: Scenario, url: URL): Promise<ConformanceCheck[]> {
  return await inFolder(async (folder) => {
    const { name, revision } = scenario;
    const version = revision === null ? [] : ["--spec-version", revision];
    const args = ["server", "--url", url.href, "--scenario", name, ...version, "-o", path.join(folder, "out")];
    const end = await runSuite(program, { folder, args, timeoutMs: SCENARIO_LIMIT_MS });
    const checks = end.timedOut ? [] : readChecks(folder, scenario);
    if (checks.length > 0) return checks;
    const cause = end.timedOut ? `no end within ${SCENARIO_LIMIT_MS / 1000} s` : lastLine(end.output);
    return [{ ...toRow(scenario), outcome: "failed", message: cause || `The suite ended with code ${end.code}` }];
  });
}

/** A scenario as a whole. */
export function toRow({ name, revision }: Scenario): Pick<ConformanceCheck, "id" | "group" | "title"> {
  return { id: `suite/${revision ?? EXTENSION}/${name}`, group: "suite", title: `${name} (${revision ?? EXTENSION})` };
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-conformance-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The arguments are in a file that only this user can read, since other users see command lines: the address of the
 * forwarder stands for the credentials of the server.
 */
async function runSuite(
  { suite, place, signal }: SuiteProgram,
  { folder, args, timeoutMs }: { folder: string; args: readonly string[]; timeoutMs: number },
) {
  const launcher = path.join(folder, "launch.mjs");
  const words = JSON.stringify([suite.entry, ...args]);
  const text = `process.argv.push(...${words});\nprocess.argv.splice(1, 1);\nawait import(${JSON.stringify(pathToFileURL(suite.entry).href)});\n`;
  writeFileSync(launcher, text, { mode: 0o600 });
  const env = Object.fromEntries(INHERITED.map((name) => [name, place.variables[name]]));
  return await runProgram(place.node ?? process.execPath, [launcher], { env, cwd: folder, timeoutMs, signal });
}

function readChecks(folder: string, scenario: Scenario): ConformanceCheck[] {
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => path.basename(file) === RESULTS,
  );
  const entries = found.flatMap((file) => readList(path.join(folder, file)));
  const rows = new Map<string, ConformanceCheck>();
  for (const entry of entries.slice(0, MAX_CHECKS)) {
    const row = toCheck(entry, scenario);
    const known = rows.get(row.id);
    // One name may stand for several probes: the worst one counts.
    if (known === undefined || rank(row) < rank(known)) rows.set(row.id, row);
  }
  return [...rows.values()];
}

const rank = ({ outcome }: ConformanceCheck): number => CONFORMANCE_OUTCOMES.indexOf(outcome);

function readList(file: string): Record<string, unknown>[] {
  if (statSync(file).size > MAX_RESULT_BYTES) return [];
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return Array.isArray(value) ? value.filter(isPlainObject) : [];
  } catch {
    return [];
  }
}

function toCheck({ id, description, status, errorMessage, details }: Record<string, unknown>, scenario: Scenario) {
  const row = toRow(scenario);
  const outcome = Object.hasOwn(OUTCOMES, String(status)) ? OUTCOMES[String(status)] : undefined;
  const note = isPlainObject(details) && typeof details.message === "string" ? details.message : null;
  return {
    ...row,
    id: `${row.id}/${typeof id === "string" ? id : "check"}`,
    title: typeof description === "string" && description !== "" ? description : row.title,
    outcome: outcome ?? "failed",
    message: typeof errorMessage === "string" ? errorMessage : outcome === "passed" ? null : note,
  } satisfies ConformanceCheck;
}

const lastLine = (output: string): string => output.split("\n").at(-1)?.trim() ?? "";
