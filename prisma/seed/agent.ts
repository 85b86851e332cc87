import type { ToolDefinition } from "../../src/lib/contract";
import { AjvValidator } from "../../src/server/adapters/ajv-validator";
import type { Database } from "../../src/server/db/database";
import { createApprovalStore } from "../../src/server/features/approvals/approval-store";
import type { ExecutionStore } from "../../src/server/features/executions/execution-store";
import { createModelCheckStore } from "../../src/server/features/model-checks/model-check-store";
import { createRunStore } from "../../src/server/features/runs/run-store";
import { createTranscriptStore } from "../../src/server/features/transcripts/transcript-store";
import { createCallWriter } from "./agent-calls";
import { planChecks } from "./agent-checks";
import { planDecided, seedOpen } from "./agent-inbox";
import type { PastThing, PlannedRun } from "./agent-plan";
import { createRunWriter } from "./agent-runs";
import { ASKING_TOOLS, PROVIDERS } from "./agent-tools";
import { planTranscripts } from "./agent-transcripts";
import { planApprovals, planRuns } from "./agent-weeks";
import { registerTools } from "./register-tools";
import { SEED_INSTANCE, type SeedContext, type Services } from "./seed-context";
import { DAY_MS } from "./week-plan";
import { TEAM_TOOLS } from "./week-tools";

const DAYS = 14;
/** The longest of these runs waits for a person for some minutes: none of them reaches past now. */
const MARGIN_MS = 3_600_000;
/** An approval nobody gave is decided a day later. */
const EXPIRY_MARGIN_MS = DAY_MS + MARGIN_MS;

/** Two weeks of models at work, and what waits for a person now. Of weeks that are there already, only what has come since. */
export async function seedAgent({ now, rootDir, withServices, withLogbook }: SeedContext): Promise<string> {
  const definitions = await withServices(prepare);
  const validator = new AjvValidator({ rootDir });
  try {
    return await withLogbook((logbook, db) => write({ logbook, db, validator, definitions, now }));
  } finally {
    await validator.close();
  }
}

/** Tools and providers that the runs name. Gives the definitions as the catalogue has them. */
async function prepare(services: Services): Promise<Map<string, ToolDefinition>> {
  await registerTools(services, [...TEAM_TOOLS.map(({ definitionText }) => definitionText), ...ASKING_TOOLS]);
  const known = new Set(services.models.providers().items.map(({ name }) => name));
  for (const provider of PROVIDERS) if (!known.has(provider.name)) await services.models.createProvider(provider);
  const names = services.tools.list().items.map(({ name }) => name);
  return new Map(
    names.flatMap((name) => {
      const detail = services.tools.find(name);
      return detail === null ? [] : [[name, detail.definition] as const];
    }),
  );
}

interface Parts {
  logbook: ExecutionStore;
  db: Database;
  validator: AjvValidator;
  definitions: ReadonlyMap<string, ToolDefinition>;
  now: number;
}

async function write({ logbook, db, validator, definitions, now }: Parts): Promise<string> {
  const runs = createRunStore({ db, instanceId: SEED_INSTANCE });
  const approvals = createApprovalStore({ db, instanceId: SEED_INSTANCE });
  const calls = createCallWriter({ logbook, approvals, validator, definitions });
  const writer = createRunWriter({ runs, calls, toolCount: definitions.size });
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const from = today - (DAYS - 1) * DAY_MS;
  const inbox = { logbook, approvals, calls, writer };
  const planned = planRuns(from, now - MARGIN_MS).filter((run) => usesKnownTools(run, definitions));
  const past: PastThing[] = [
    ...planned.map((run) => ({ kind: "run" as const, at: run.at, write: () => writeRun(run) })),
    ...planDecided(inbox, planApprovals(from, now - EXPIRY_MARGIN_MS)),
    ...planChecks({ checks: createModelCheckStore({ db }), runs, writer, instanceId: SEED_INSTANCE }, today),
    ...planTranscripts({ store: createTranscriptStore({ db }), writer }, today),
  ];
  const written = { run: 0, approval: 0, check: 0, transcript: 0 };
  for (const { kind, write: writeDown } of past.sort((one, other) => one.at - other.at))
    if (await writeDown()) written[kind] += 1;
  const open = await seedOpen(inbox, now);
  return (
    `${written.run} runs (${planned.length} planned), ${written.approval} decided and ${open} open approvals, ` +
    `${written.check} model checks, ${written.transcript} transcripts`
  );

  /** A rerun at the beginning of the two weeks repeats what may not be there. */
  async function writeRun(run: PlannedRun): Promise<boolean> {
    if (run.parent !== undefined && (await runs.find(run.parent.id)) === null) return false;
    return writer.write(run);
  }
}

/** Sample tools may be missing from the configuration. */
function usesKnownTools({ turns }: PlannedRun, definitions: ReadonlyMap<string, ToolDefinition>): boolean {
  const used = turns.flatMap(({ steps }) => steps.flatMap(({ calls = [] }) => calls.map(({ tool }) => tool)));
  return used.every((tool) => definitions.has(tool));
}
