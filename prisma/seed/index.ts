import type { Env } from "../../src/server/env";
import { DEFAULT_SCENARIOS, SCENARIOS } from "./scenarios";
import { createSeedContext } from "./seed-context";

export { readEnv } from "../../src/server/env";

/** The scenarios there are, one line each, for whoever asked for another. */
export function describeScenarios(): string {
  return [...SCENARIOS].map(([name, { about }]) => `  ${name.padEnd(14)} ${about}`).join("\n");
}

export function unknownScenarios(names: readonly string[]): string[] {
  return names.filter((name) => !SCENARIOS.has(name));
}

/** Fills the database that `env` names. @param tell hears each scenario's name and what it made */
export async function seed(
  env: Env,
  names: readonly string[],
  tell: (scenario: string, outcome: string) => void,
): Promise<void> {
  const wanted = new Set(names.length === 0 ? DEFAULT_SCENARIOS : names);
  const context = createSeedContext(env);
  for (const [name, { run }] of SCENARIOS) {
    if (wanted.has(name)) tell(name, await run(context));
  }
}
