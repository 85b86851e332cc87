/**
 * `npm run bench:executor`. (a) One call of a mock with a six-field schema through the executor, without a journal,
 * compared with ajv alone. (b) Complete durable calls (validation, run, two commits) compared with a bare loop of the
 * driver that writes the same data with the same batches, in alternating rounds of one run. (c) What statistics add. `--database postgres` starts a server.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import { createToolEngine } from "../src/server/create-tool-engine";
import { type BenchDatabase, openBenchDatabases, openBenchStore, readKind } from "./bench-database";
import {
  BENCH_DEFINITION,
  benchStart,
  type Contender,
  compare,
  compareCounting,
  journalContender,
  rawContender,
} from "./executor-durable";
import { median } from "./median";

const ARGUMENTS = {
  units: "celsius",
  alerts: true,
  above: 30.5,
  ...JSON.parse(benchStart().argumentsText),
} as const;

async function overheadOfExecute(): Promise<void> {
  const check = new Ajv2020({ strict: false, allErrors: true, ownProperties: true }).compile(
    BENCH_DEFINITION.parameters,
  );
  const { registry, executor } = createToolEngine();
  registry.register(BENCH_DEFINITION);
  const calls = 20_000;
  const bare = (): number => {
    const begun = performance.now();
    let valid = 0;
    for (let call = 0; call < calls; call += 1) if (check(ARGUMENTS)) valid += 1;
    if (valid !== calls) throw new Error("ajv refused the bench's arguments");
    return ((performance.now() - begun) * 1000) / calls;
  };
  const whole = async (): Promise<number> => {
    const begun = performance.now();
    for (let call = 0; call < calls; call += 1) {
      if (!(await executor.execute("get_weather", ARGUMENTS)).success) throw new Error("the call failed");
    }
    return ((performance.now() - begun) * 1000) / calls;
  };
  bare();
  await whole();
  const rounds = Array.from({ length: 9 }, () => ({ bare: 0, whole: 0 }));
  for (const round of rounds) {
    round.bare = bare();
    round.whole = await whole();
  }
  const ajvUs = median(rounds.map((round) => round.bare));
  const executeUs = median(rounds.map((round) => round.whole));
  const addedUs = median(rounds.map((round) => round.whole - round.bare));
  console.log("(a) executor.execute of a mock, no logbook, microseconds a call (median of 9 rounds)");
  console.log(
    `ajv alone ${ajvUs.toFixed(2)} · execute ${executeUs.toFixed(2)} · added ${addedUs.toFixed(2)} (reach: at most 10)\n`,
  );
}

function executorContender({ db }: Pick<BenchDatabase, "db">): Contender {
  const store = openBenchStore(db);
  const { registry, executor } = createToolEngine({ journal: store });
  registry.register(BENCH_DEFINITION);
  return {
    name: "execute",
    async call() {
      const envelope = await executor.execute("get_weather", ARGUMENTS, { source: "agent" });
      if (!envelope.success) throw new Error(envelope.error);
    },
    close: () => store.close(),
  };
}

async function main(): Promise<void> {
  const kind = readKind();
  await overheadOfExecute();
  console.log(`(b) durable calls a second on ${kind} (reach: execute at least 0.70 of raw at 8 and 64)`);
  const databases = await openBenchDatabases(kind);
  const made = [await databases.create(), await databases.create(), await databases.create()] as const;
  const contenders = [await rawContender(made[0]), journalContender(made[1]), executorContender(made[2])];
  try {
    await compare(contenders, Number(process.env.ROUNDS ?? 9), Number(process.env.ROUND_MS ?? 400));
    console.log("\n(c) what statistics add to a durable call, processor time of this process (reach: at most 10%)");
    await compareCounting(databases.create, Number(process.env.COUNTING_ROUNDS ?? 60));
  } finally {
    for (const contender of contenders) await contender.close();
    for (const database of made) await database.remove();
    await databases.close();
  }
}

await main();
