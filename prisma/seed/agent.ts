import { LOCAL_PRINCIPAL } from "../../src/lib/contract/access";
import type { ToolDefinition } from "../../src/lib/contract/tool-definition";
import { createApprovalStore } from "../../src/server/features/approvals/db/approval-store";
import { createModelCheckStore } from "../../src/server/features/model-checks/db/model-check-store";
import { createRunStore } from "../../src/server/features/runs/db/run-store";
import { createTranscriptStore } from "../../src/server/features/transcripts/db/transcript-store";
import { createCallWriter } from "./agent-calls";
import { planChecks } from "./agent-checks";
import { planDecided, seedOpen } from "./agent-inbox";
import { type PastThing, planRuns } from "./agent-plan";
import { createRunWriter } from "./agent-runs";
import { PROVIDERS } from "./agent-tools";
import { planTranscripts } from "./agent-transcripts";
import { type PastRun, readTools } from "./read-stories";
import { registerTools, type SeedContext } from "./seed-context";
import { DAY_MS } from "./week-plan";

const DAYS = 14;
/** The longest of these runs waits for a person for some minutes: none of them reaches past now. */
const MARGIN_MS = 3_600_000;
/** An approval expires after a day. */
const EXPIRY_MARGIN_MS = DAY_MS + MARGIN_MS;

/** Two weeks of models at work, and what waits for a person now. Of weeks that are there already, only what has come since. */
export async function seedAgent({ now, withServices, withPast }: SeedContext): Promise<string> {
  const { definitions } = await withServices(async (services) => {
    const known = new Set(services.models.providers().items.map(({ name }) => name));
    for (const provider of PROVIDERS)
      if (!known.has(provider.name)) await services.models.createProvider(LOCAL_PRINCIPAL, provider);
    return registerTools(services, readTools<ToolDefinition>("team-tools.json"));
  });
  return withPast(async ({ db, executions, validator }) => {
    const runs = createRunStore({ db });
    const approvals = createApprovalStore({ db });
    const writeCall = createCallWriter({ executions, approvals, validator, definitions });
    const runWriter = createRunWriter({ runs, writeCall, toolCount: definitions.size });
    const inbox = { executions, approvals, writeCall, runWriter };
    const today = Math.floor(now / DAY_MS) * DAY_MS;
    const from = today - (DAYS - 1) * DAY_MS;
    // Sample tools may be missing from the configuration.
    const planned = planRuns(from, now - MARGIN_MS).filter((run) =>
      listTools(run).every((tool) => definitions.has(tool)),
    );
    const past: PastThing[] = [
      ...planned.map((run) => ({ kind: "run" as const, at: run.at, write: () => writeRun(run) })),
      ...planDecided(inbox, from, now - EXPIRY_MARGIN_MS),
      ...planChecks({ checks: createModelCheckStore({ db }), runs, runWriter }, today),
      ...planTranscripts({ store: createTranscriptStore({ db }), runWriter }, today),
    ];
    const written = { run: 0, approval: 0, check: 0, transcript: 0 };
    for (const { kind, write } of past.sort((one, other) => one.at - other.at)) if (await write()) written[kind] += 1;
    const open = await seedOpen(inbox, now);
    return (
      `${written.run} runs (${planned.length} planned), ${written.approval} decided and ${open} open approvals, ` +
      `${written.check} model checks, ${written.transcript} transcripts`
    );

    /** A rerun at the beginning of the two weeks repeats a run before them. */
    async function writeRun(run: PastRun): Promise<boolean> {
      if (run.parent !== undefined && (await runs.find(run.parent.id)) === null) return false;
      return runWriter.write(run);
    }
  });
}

function listTools({ turns }: PastRun): string[] {
  return turns.flatMap(({ steps }) => steps.flatMap(({ calls }) => calls.map(({ tool }) => tool)));
}
