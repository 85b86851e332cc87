import type { ToolDefinition } from "../../src/lib/contract/tool-definition";
import type { ApprovalStore } from "../../src/server/calls/approvals/approval-store";
import { createApprovalStore } from "../../src/server/calls/approvals/db/approval-store";
import { createRunStore } from "../../src/server/features/runs/db/run-store";
import { createSuiteStore } from "../../src/server/features/suites/db/suite-store";
import { createCallWriter } from "./agent-calls";
import { addEvals, planEvalRuns } from "./agent-evals";
import { findModel, type PastThing, planApprovals, planRuns } from "./agent-plan";
import type { RunWriter } from "./agent-runs";
import { createRunWriter } from "./agent-runs";
import { PROVIDERS } from "./agent-tools";
import { type CallOrigin, newPastId } from "./past-calls";
import { createRandom } from "./random";
import { findActor, type PastRun, readStories, readTools } from "./read-stories";
import type { PastPorts } from "./seed-context";
import { registerTools, type SeedContext, type Services } from "./seed-context";
import { DAY_MS } from "./week-plan";

const DAYS = 14;
/** The longest of these runs waits for a user for some minutes: none of them reaches past now. */
const MARGIN_MS = 3_600_000;
/** An approval expires after a day. */
const EXPIRY_MARGIN_MS = DAY_MS + MARGIN_MS;

/** Two weeks of models at work, and what waits for a user now. Of weeks that are there already, only what has come since. */
export async function seedAgent({ now, isDemo, withServices, withPast, queueCall }: SeedContext): Promise<string> {
  const { definitions, evals, providers, registered } = await withServices(async (services) => {
    const providers = isDemo ? await addProviders(services) : 0;
    const registered = await registerTools(services, readTools<ToolDefinition>("team-tools.json"));
    return { ...registered, providers, evals: await addEvals(services) };
  });
  return withPast(async ({ db, executions, validator }) => {
    const runs = createRunStore({ db });
    const approvals = createApprovalStore({ db });
    const suites = createSuiteStore({ db, now: Date.now });
    const writeCall = createCallWriter({ validator, definitions, queueCall });
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
      ...planEvalRuns(suites, evals, today),
    ];
    const written = { run: 0, approval: 0, check: 0 };
    for (const { kind, write } of past.sort((one, other) => one.at - other.at)) if (await write()) written[kind] += 1;
    const open = await seedOpen(inbox, now);
    return (
      `${written.run} runs (${planned.length} planned), ${written.approval} decided and ${open} open approvals, ` +
      `${written.check} runs of evals` +
      `${registered === 0 ? "" : `, ${registered} new tools`}${providers === 0 ? "" : `, ${providers} model providers`}`
    );

    /** A rerun at the beginning of the two weeks repeats a run before them. */
    async function writeRun(run: PastRun): Promise<boolean> {
      if (run.parent !== undefined && (await runs.find(run.parent.id)) === null) return false;
      return runWriter.write(run);
    }
  });
}

/** @returns how many were not there yet */
async function addProviders({ models, api }: Services): Promise<number> {
  const known = new Set(models.providers().items.map(({ name }) => name));
  const missing = PROVIDERS.filter(({ name }) => !known.has(name));
  for (const provider of missing) await api.models.createProvider({ provider });
  return missing.length;
}

function listTools({ turns }: PastRun): string[] {
  return turns.flatMap(({ steps }) => steps.flatMap(({ calls }) => calls.map(({ tool }) => tool)));
}

interface InboxPorts extends Pick<PastPorts, "executions"> {
  approvals: ApprovalStore;
  writeCall: ReturnType<typeof createCallWriter>;
  runWriter: RunWriter;
}

const MINUTE_MS = 60_000;

/** Calls without a run that users decided between the two times. */
function planDecided({ executions, writeCall }: InboxPorts, from: number, until: number): PastThing[] {
  const stories = readStories("approvals.txt");
  return planApprovals(from, until).map(({ at, number }) => ({
    kind: "approval",
    at,
    async write() {
      const id = newPastId(at, createRandom(at));
      if ((await executions.summary(id)) !== null) return false;
      const { head, calls } = stories[number % stories.length]?.(createRandom(number)) ?? { head: [], calls: [] };
      for (const call of calls) await writeCall(call, id, at, toOrigin(head));
      return true;
    },
  }));
}

/** Calls of the console, of a run and of the gateway that wait now; none while others wait already. */
async function seedOpen({ approvals, writeCall, runWriter }: InboxPorts, now: number): Promise<number> {
  if ((await approvals.countOpen()) > 0) return 0;
  const random = createRandom(now);
  const stories = readStories("inbox.txt");
  for (const story of stories) {
    const { head, calls, turns } = story(random);
    const [minutesAgo, ...origin] = head;
    const at = now - Number(minutesAgo) * MINUTE_MS;
    for (const call of calls) await writeCall(call, newPastId(at, random), at, toOrigin(origin));
    if (turns.length === 0) continue;
    const settings = { ...findModel("demo"), instructions: "", tools: { mode: "all" } } as const;
    const actor = findActor(origin[1]);
    await runWriter.write({ id: `run_${random.letters(16)}`, at, source: "agent", actor, settings, turns });
  }
  return stories.length;
}

function toOrigin([source, actor]: readonly string[]): CallOrigin {
  const common = { actor: findActor(actor), runId: null, callId: null, parentId: null };
  if (source === "gateway") return { source, client: "Claude Code/2.1.4", ...common };
  return { source: "console", client: null, ...common };
}
