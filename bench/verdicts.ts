// Checks generated pairs of tool schemas in both directions, and counts wrong and unproven verdicts.
// npm run bench:verdicts -- [pairs] [seed]
import { RandomSchemas } from "../src/server/platform/random-schemas.test-support";
import { RandomTools } from "../src/server/platform/random-tools.test-support";
import {
  emptyFigures,
  measureVerdicts,
  type VerdictFigures,
} from "../src/server/platform/schema-verdicts.test-support";

const [pairs = 20_000, seed = 1] = process.argv.slice(2).map(Number);
/** Schemas of random keywords, many of which nothing fits: a tenth of the pairs. */
const RANDOM_SHARE = 10;
const STEP = 500;

function report(name: string, figures: VerdictFigures): void {
  const { verdicts, compatible, byConvention, breaking, witnessed, lost, missed, unrefuted } = figures;
  const share = (count: number) => `${count} (${((100 * count) / Math.max(breaking, 1)).toFixed(1)}%)`;
  console.log(`${name}: ${verdicts} verdicts`);
  console.log(`  compatible ${compatible}, of them refuted by a value: ${figures.refuted.length}`);
  console.log(`  compatible by convention ${byConvention}`);
  console.log(
    `  breaking ${breaking}: with a refused or impossible value ${share(witnessed)}, with a lost part ${share(lost)},`,
  );
  console.log(
    `    without a witness though one exists ${share(missed)}, without a known counterexample ${share(unrefuted)}`,
  );
  console.log(`  wrong witnesses ${figures.wrongWitnesses}`);
  for (const each of figures.refuted.slice(0, 5)) console.log(`  refuted: ${JSON.stringify(each)}`);
}

function run(name: string, count: number, generator: RandomTools | RandomSchemas): boolean {
  const figures = emptyFigures();
  const started = process.cpuUsage();
  for (let done = 0; done < count; done += STEP) {
    measureVerdicts(generator, Math.min(STEP, count - done), figures);
    process.stderr.write(`\r${name}: ${Math.min(done + STEP, count)} of ${count} pairs `);
  }
  process.stderr.write("\n");
  report(name, figures);
  console.log(`  processor time ${(process.cpuUsage(started).user / 1e6).toFixed(0)} s\n`);
  return figures.refuted.length === 0 && figures.wrongWitnesses === 0;
}

const isRight = [
  run("Schemas of tools", pairs, new RandomTools(seed)),
  run("Schemas of random keywords", Math.ceil(pairs / RANDOM_SHARE), new RandomSchemas(seed)),
].every(Boolean);
process.exitCode = isRight ? 0 : 1;
