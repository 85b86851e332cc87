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
import type { ModelDirectory } from "../../engine/agent/chat-ports";
import { AppError } from "../../platform/shared/app-error";
import type { EvalTask } from "./suite-attempt";
import { createRunningEvals, type RunningEvalPorts } from "./suite-attempts";
import type { EvalRunStore, EvalRunWithAttempts } from "./suite-eval-run-store";
import type { EvalStore } from "./suite-eval-store";
import { type EditedTool, isOfferedToModels, type OfferPorts, offerTools } from "./suite-offer";
import { toSelectionTask } from "./suite-selection";

export interface EvalRunPorts extends Omit<RunningEvalPorts, "store" | "price"> {
  store: EvalRunStore;
  evals: Pick<EvalStore, "list">;
  models: ModelDirectory;
  offer: OfferPorts;
  /** Reads a definition that is not saved yet. @throws AppError that lists its problems */
  readEdit: (edit: EvalEdit) => EditedTool;
  /** Called after a run began, got an attempt or ended. */
  onChange: () => void;
  newId: () => string;
}

export interface EvalRunStart extends EvalRunInput {
  suite: string;
  edit?: EvalEdit | undefined;
}

interface RunPlan {
  tasks: EvalTask[];
  items: EvalItem[];
}

const PAGE = 30;

/** Runs suites of evals with models, and stores the results. */
export function createEvalRuns(ports: EvalRunPorts) {
  const { clock, models } = ports;
  const store = announceWrites(ports.store, ports.onChange);
  const running = createRunningEvals({ ...ports, price: models.price, store });

  async function find(id: string): Promise<EvalRunWithAttempts> {
    const run = await store.get(id);
    if (run === null) throw new AppError("NOT_FOUND", `Run of evals '${id}' not found`);
    return run;
  }

  return {
    /** Ends the runs that processes left running which ended. */
    load: running.endAbandoned,

    /** Stops what runs here, as interrupted. Call it before the runs are stopped. */
    close: running.close,

    async listRuns(query: Pick<Parameters<EvalRunStore["list"]>[0], "suite" | "provider" | "model" | "cursor">) {
      const { items, nextCursor } = await store.list({ ...query, limit: PAGE });
      return { items, nextCursor };
    },

    getRun: async (id: string): Promise<EvalRunDetail> => toDetail(await find(id)),

    /** @param before the earlier run */
    compareRuns: async (before: string, id: string): Promise<EvalComparison> =>
      compareEvalRuns(toDetail(await find(before)), toDetail(await find(id))),

    /** Resolves once it is stored; it runs in the background. @throws AppError for a provider that cannot be used */
    async startRun(actor: Actor, start: EvalRunStart): Promise<EvalRunSummary> {
      const { suite, provider, model, offering, rounds } = start;
      running.assertOpen();
      const edit = start.edit === undefined ? null : ports.readEdit(start.edit);
      await models.client(provider);
      const { tasks, items } = await planRun(ports, start, edit);
      const total = rounds * tasks.length;
      if (total > MAX_EVAL_ATTEMPTS) {
        throw new AppError("INVALID", `rounds: ${total} attempts are more than ${MAX_EVAL_ATTEMPTS}: use fewer rounds`);
      }
      await running.endAbandoned();
      const id = ports.newId();
      const edited = edit?.definition.name ?? null;
      const stored = await running.start({ id, actor, provider, model, rounds, tasks }, () =>
        store.create({ id, suite, provider, model, offering, edited, rounds, startedAt: clock.now(), total, items }),
      );
      if (stored === null) {
        throw new AppError("CONFLICT", `${suite} is running with ${model} already: wait for it or cancel it`);
      }
      return stored;
    },

    /** False when it was over already. */
    async cancelRun(_actor: Actor, id: string): Promise<{ cancelled: boolean }> {
      const cancelled = await running.cancel(id);
      if (!cancelled) await find(id);
      return { cancelled };
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

/** Every write announces itself, so nothing else gets the store. */
function announceWrites(store: EvalRunStore, announce: () => void): EvalRunStore {
  async function announced<T>(write: Promise<T>): Promise<T> {
    const result = await write;
    if (result !== null) announce();
    return result;
  }
  return {
    ...store,
    create: (run) => announced(store.create(run)),
    keepAttempts: (id, attempts, sums) => announced(store.keepAttempts(id, attempts, sums)),
    finish: (id, end, owner) => announced(store.finish(id, end, owner)),
  };
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

function toDetail({ items: own, attempts, ...run }: EvalRunWithAttempts): EvalRunDetail {
  const items = own ?? [...new Set(attempts.map(({ item }) => item))].map(toFormerItem);
  const positions = new Map(items.map(({ id }, at) => [id, at]));
  const positionOf = (item: string): number => positions.get(item) ?? items.length;
  const sorted = attempts.toSorted(
    (one, other) => positionOf(one.item) - positionOf(other.item) || one.round - other.round,
  );
  return { ...run, items, attempts: sorted };
}

/** A scenario of the suite that earlier versions brought along: its texts were not stored. */
const toFormerItem = (id: string): EvalItem => ({ id, title: id, description: "", expected: [] });
