import { compareEvalRuns } from "../../../lib/compare-eval-runs";
import type { Actor } from "../../../lib/contract/actor";
import type {
  Eval,
  EvalComparison,
  EvalEdit,
  EvalItem,
  EvalRunDetail,
  EvalRunInput,
  EvalRunSummary,
} from "../../../lib/contract/eval";
import { MAX_EVAL_ATTEMPTS } from "../../../lib/contract/eval-limits";
import type { OpenCountedModel } from "../../calls/spend/counted-models";
import type { ModelDirectory } from "../../engine/agent/chat-ports";
import { AppError } from "../../platform/shared/app-error";
import type { EvalTask } from "./suite-attempt";
import { type AttemptPorts, createAttempts } from "./suite-attempts";
import type { EvalStore } from "./suite-eval-store";
import { type EditedTool, isOfferedToModels, type OfferPorts, offerTools } from "./suite-offer";
import type { RunTasks } from "./suite-run-tasks";
import { toSelectionTask } from "./suite-selection";
import type { NewEvalRun, SuiteStore } from "./suite-store";

export interface EvalRunPorts extends Omit<AttemptPorts, "store" | "price"> {
  store: SuiteStore;
  tasks: RunTasks;
  evals: Pick<EvalStore, "list">;
  models: ModelDirectory;
  openModel: OpenCountedModel;
  offer: OfferPorts;
  /** Reads a definition that is not saved yet. @throws AppError that lists its problems */
  readEdit: (edit: EvalEdit) => EditedTool;
  newEvalRunId: () => string;
}

export interface EvalRunStart extends EvalRunInput, Pick<NewEvalRun, "suiteId" | "trigger"> {
  suite: string;
  edit?: EvalEdit | undefined;
}

interface RunPlan {
  tasks: EvalTask[];
  items: EvalItem[];
}

/** Runs suites of evals with models, and stores the results. */
export function createEvalRuns(ports: EvalRunPorts) {
  const { clock, models, store, tasks } = ports;
  const perform = createAttempts({ ...ports, price: models.price });

  async function find(id: string): Promise<EvalRunDetail> {
    const run = await tasks.find(id);
    if (run.kind === "evals") return run;
    throw new AppError("INVALID", `Run '${id}' has no evals: only runs of evals are compared`);
  }

  return {
    /** @param before the earlier run */
    compare: async (before: string, id: string): Promise<EvalComparison> =>
      compareEvalRuns(await find(before), await find(id)),

    /** Resolves once it is stored; it runs in the background. @throws AppError for a provider that cannot be used */
    async start(actor: Actor, start: EvalRunStart): Promise<EvalRunSummary> {
      const { suite: name, suiteId, trigger, provider, model, offering, rounds } = start;
      tasks.assertOpen();
      const edit = start.edit === undefined ? null : ports.readEdit(start.edit);
      await models.client(provider);
      const { tasks: cases, items } = await planRun(ports, start, edit);
      const total = rounds * cases.length;
      if (total > MAX_EVAL_ATTEMPTS) {
        throw new AppError("INVALID", `rounds: ${total} attempts are more than ${MAX_EVAL_ATTEMPTS}: use fewer rounds`);
      }
      // A run that an ended process left running would block the next one.
      await tasks.endAbandoned();
      const id = ports.newEvalRunId();
      const edited = edit?.definition.name ?? null;
      const facts = { id, name, suiteId, trigger, actor, provider, model, offering, edited, rounds, total, items };
      const stored = await tasks.start({
        id,
        save: () => store.createEvalRun({ ...facts, startedAt: clock.now() }),
        perform: (stop) => perform({ id, actor, provider, model, rounds, tasks: cases }, stop),
      });
      if (stored === null) {
        throw new AppError("CONFLICT", `${name} is running with ${model} already: wait for it or cancel it`);
      }
      return stored;
    },
  };
}

/** @throws AppError for a suite without evals, or one whose tools are not offered */
async function planRun(
  ports: EvalRunPorts,
  { suite, offering }: EvalRunStart,
  edit: EditedTool | null,
): Promise<RunPlan> {
  const evals = (await ports.evals.list(suite)).map((each) => renameInEval(each, edit));
  if (evals.length === 0) throw new AppError("NOT_FOUND", `There is no suite of evals '${suite}'`);
  const offered = new Map(
    [...new Set(evals.map(({ toolset }) => toolset))].map((name) => [
      name,
      offerTools(ports.offer, name, { offering, edit }),
    ]),
  );
  const tasks = evals.map((each) => {
    const tools = offered.get(each.toolset);
    if (tools === undefined) throw new Error("unreachable");
    const names = new Set(tools.tools.filter(isOfferedToModels).map(({ original }) => original.name));
    if (each.expected.length > 0 && !each.expected.some((name) => names.has(name))) {
      const where = each.toolset === null ? "is not enabled" : `is not in the toolset '${each.toolset}'`;
      throw new AppError("INVALID", `The eval "${shorten(each.question)}" expects ${each.expected[0]}, which ${where}`);
    }
    return toSelectionTask(ports, each, tools, offering);
  });
  return { tasks, items: evals.map(toItem) };
}

/** An eval of a tool that the edit renames expects it under its new name. */
function renameInEval(each: Eval, edit: EditedTool | null): Eval {
  const rename = (name: string): string => (edit !== null && name === edit.name ? edit.definition.name : name);
  return { ...each, expected: each.expected.map(rename), forbidden: each.forbidden.map(rename) };
}

const MAX_TITLE_CHARS = 120;

function shorten(text: string): string {
  return text.length <= MAX_TITLE_CHARS ? text : `${text.slice(0, MAX_TITLE_CHARS - 1)}…`;
}

function toItem({ id, question, expected, toolset }: Eval): EvalItem {
  const description = expected.length === 0 ? "No call" : expected.join(" or ");
  return {
    id,
    title: question,
    description: toolset === null ? description : `${description}, of ${toolset}`,
    expected,
  };
}
