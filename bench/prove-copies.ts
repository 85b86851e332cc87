/**
 * `npm run prove:copies [-- --disturbances 100 --restarts 5 --copies 3 --only killed]`: 64 callers use copies of the built server behind haproxy while copies are
 * killed, stopped, paused and started again, and the database is restarted. Afterwards: no acknowledged call is missing or
 * doubled, none is left running, every approval was decided once, every run has finished. PostgreSQL writes as durably as by default.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import prepareBuild from "../e2e/support/build";
import { type InstanceProcess, type Instances, startInstances } from "../e2e/support/copies";
import { startLedger } from "../e2e/support/copies-ledger";
import { endLoad, hasTools, LOAD_OF_64, prepareLoad, startLoad } from "../e2e/support/copies-load";
import { waitUntil } from "../src/lib/wait-until.test-support";

const { values } = parseArgs({
  options: {
    disturbances: { type: "string", default: "100" },
    restarts: { type: "string", default: "5" },
    copies: { type: "string", default: "3" },
    only: { type: "string", default: "" },
  },
});
const DISTURBANCES = Number(values.disturbances);
const RESTARTS = Number(values.restarts);
/** Longer than the time after which a silent copy counts as lost. */
const LONG_PAUSE_MS = 14_000;
const SHORT_PAUSE_MS = 3_000;
const END_MS = 6_000;
const BETWEEN_MS = 4_000;
const START_TRIES = 4;

const tally = new Map<string, number>();
const note = (name: string): void => void tally.set(name, (tally.get(name) ?? 0) + 1);
const log = (text: string): void => console.log(`${new Date().toISOString().slice(11, 19)}  ${text}`);

/** As a supervisor does: a start while the database is away ends, and is repeated. */
async function revive(copy: InstanceProcess): Promise<void> {
  for (let tries = 1; copy.state === "down"; tries += 1) {
    try {
      await copy.start();
    } catch (error) {
      if (tries === START_TRIES) throw error;
      note("start repeated");
      await sleep(BETWEEN_MS);
    }
  }
}

const ALL_ACTIONS: { name: string; run: (copy: InstanceProcess) => Promise<void> }[] = [
  { name: "killed", run: (copy) => copy.kill() },
  { name: "stopped", run: async (copy) => void (await copy.stop()) },
  {
    name: "paused briefly",
    run: async (copy) => {
      copy.pause();
      await sleep(SHORT_PAUSE_MS);
      copy.wake();
    },
  },
  {
    name: "paused for long",
    run: async (copy) => {
      copy.pause();
      await sleep(LONG_PAUSE_MS);
      copy.wake();
      // It is lost only where another one lived for all that time.
      await waitUntil(() => copy.hasEnded(), { timeoutMs: END_MS }).then(
        () => note("lost"),
        () => undefined,
      );
    },
  },
];

const ACTIONS = ALL_ACTIONS.filter(({ name }) => name.includes(values.only));

/** Two copies may be away at once; one is disturbed again once it is back. */
async function disturb({ copies, database }: Instances): Promise<void> {
  const every = RESTARTS === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(DISTURBANCES / RESTARTS));
  const underWay = new Map<InstanceProcess, Promise<void>>();
  for (let index = 0; index < DISTURBANCES; index += 1) {
    const copy = copies[index % copies.length] as InstanceProcess;
    const action = ACTIONS[Math.floor(Math.random() * ACTIONS.length)] as (typeof ACTIONS)[number];
    await underWay.get(copy);
    log(`${index + 1}/${DISTURBANCES}: ${copy.name} is ${action.name}`);
    note(action.name);
    underWay.set(
      copy,
      action.run(copy).then(async () => {
        await sleep(Math.random() * 2_000);
        await revive(copy);
      }),
    );
    await sleep(BETWEEN_MS);
    if (index % every === every - 1) {
      const mode = (index / every) % 2 < 1 ? "fast" : "immediate";
      log(`the database is restarted (${mode})`);
      await database.restart(mode);
      note(`database restarted (${mode})`);
    }
  }
  await Promise.all(underWay.values());
}

await prepareBuild();
const ledger = await startLedger();
const copies = await startInstances({
  count: Number(values.copies),
  settings: ["shared_buffers=64MB"],
  env: { TOOLROOM_LOG_LEVEL: "error" },
});
let failed = false;
try {
  await prepareLoad(copies.url, ledger);
  for (const { url } of copies.copies)
    await waitUntil(() => hasTools(url), { what: "every copy has the tools", timeoutMs: 30_000 });
  const load = startLoad(copies.url, LOAD_OF_64);
  await disturb(copies);
  await copies.settle();
  const problems = await endLoad(copies, ledger, load);
  const { acknowledged, refused, times, runs, decisions } = load.found;
  log([...tally].map(([name, count]) => `${name} ${count}`).join(", "));
  log(`${acknowledged.length} calls acknowledged, ${runs.length} runs, ${decisions.size} approvals decided`);
  const sorted = times.toSorted((left, right) => left - right);
  const at = (share: number): string => `${Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)} ms`;
  log(`answers and errors after: p50 ${at(0.5)}, p99 ${at(0.99)}, p99.9 ${at(0.999)}, longest ${at(1 - 1e-9)}`);
  for (const [what, count] of [...refused].sort((left, right) => right[1] - left[1]))
    log(`  refused ${count}: ${what}`);
  for (const problem of problems) log(`WRONG: ${problem}`);
  failed = problems.length > 0;
  if (!failed) log("Everything holds.");
} finally {
  if (failed) for (const copy of copies.copies) console.log(`${copy.name}:\n${copy.output().slice(-4_000)}`);
  await copies.close();
  await ledger.close();
}
process.exit(failed ? 1 : 0);
