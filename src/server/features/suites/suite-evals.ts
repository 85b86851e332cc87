import type { Actor } from "../../../lib/contract/actor";
import type { Eval, EvalCandidate, EvalInput, EvalOrigin } from "../../../lib/contract/eval";
import type { RunEvent, RunSettings, RunSummary } from "../../../lib/contract/run";
import { findNamedTool } from "../../../lib/names-tool";
import type { PreparedToolset } from "../../engine/toolsets/prepare-toolset";
import { AppError, invalidInput } from "../../platform/shared/app-error";
import { type Decision, findDecisions } from "./suite-candidates";
import type { EvalStore } from "./suite-eval-store";
import { type OfferPorts, offerTools } from "./suite-offer";

export interface EvalPorts {
  evals: EvalStore;
  offer: OfferPorts;
  /** The newest runs of models, without those of evals. */
  recentRuns: (limit: number) => Promise<RunSummary[]>;
  readRun: (id: string) => Promise<{ settings: RunSettings; events: readonly RunEvent[] }>;
  prepareToolset: (name: string) => PreparedToolset | null;
  newEvalId: () => string;
  /** Resolves to the suite, which is created where needed. */
  ensureSuite: (actor: Actor, name: string) => Promise<void>;
  onChange: () => void;
}

/** The runs that a reader may read: see `private-calls.ts`. Absent: all. */
export interface ReadableCalls {
  mayReadRun(id: string): Promise<boolean>;
}

/** Runs whose decisions are candidates. */
const RECENT_RUNS = 30;
const MAX_CANDIDATES = 100;

/** The decisions of runs, newest first. */
function createDecisions(ports: Pick<EvalPorts, "recentRuns" | "readRun" | "prepareToolset">) {
  async function decide({ id, title }: Pick<RunSummary, "id" | "title">): Promise<Decision[]> {
    const { settings, events } = await ports.readRun(id);
    return findDecisions({ id, title, settings, events }, ports.prepareToolset);
  }

  async function readDecisions(readable?: ReadableCalls): Promise<Decision[]> {
    const decisions: Decision[] = [];
    for (const run of await ports.recentRuns(RECENT_RUNS)) {
      if (readable !== undefined && !(await readable.mayReadRun(run.id))) continue;
      decisions.push(...(await decide(run)));
    }
    return decisions.sort((one, other) => other.at - one.at);
  }
  return { decide, readDecisions };
}

/** @throws AppError that lists every problem with its field */
function acceptEval(input: EvalInput, offer: OfferPorts): EvalInput {
  const { question, expected, forbidden, toolset } = input;
  const problems = [];
  const both = expected.find((name) => forbidden.includes(name));
  if (both !== undefined) problems.push({ path: "forbidden", message: `'${both}' is expected too` });
  const named = findNamedTool(question, expected);
  if (named !== null) {
    const message = `names '${named}', so choosing it tests nothing: say what a person wants in other words`;
    problems.push({ path: "question", message });
  }
  const offered = new Set(
    offerTools(offer, toolset, { offering: "direct" }).tools.map(({ original }) => original.name),
  );
  const where = toolset === null ? "the catalog, or is disabled" : `the toolset '${toolset}'`;
  for (const [at, name] of expected.entries()) {
    if (!offered.has(name)) problems.push({ path: `expected[${at}]`, message: `'${name}' is not in ${where}` });
  }
  if (problems.length > 0) throw invalidInput("The eval is invalid: ", problems);
  return { ...input, expected: [...new Set(expected)], forbidden: [...new Set(forbidden)] };
}

/** Evals of the choice of tools, and the decisions of runs that may become some. */
export function createEvals(ports: EvalPorts) {
  const { evals, offer, ensureSuite } = ports;
  const { decide, readDecisions } = createDecisions(ports);

  async function find(id: string): Promise<Eval> {
    const found = await evals.get(id);
    if (found === null) throw new AppError("NOT_FOUND", `Eval '${id}' not found`);
    return found;
  }

  async function announced<T>(write: Promise<T>): Promise<T> {
    const result = await write;
    ports.onChange();
    return result;
  }

  return {
    /** The evals of a suite, oldest first. */
    list: (suite: string): Promise<Eval[]> => evals.list(suite),
    get: find,

    async create(actor: Actor, input: EvalInput): Promise<Eval> {
      const accepted = acceptEval(input, offer);
      await ensureSuite(actor, input.suite);
      return await announced(evals.create(ports.newEvalId(), accepted, actor));
    },

    /** @param revision the revision that the user saw; absent: overwrites any */
    async update(actor: Actor, id: string, input: EvalInput, revision?: number): Promise<Eval> {
      await find(id);
      const accepted = acceptEval(input, offer);
      await ensureSuite(actor, input.suite);
      return await announced(evals.update(id, accepted, { by: actor, revision }));
    },

    delete: (id: string, revision?: number): Promise<void> => announced(evals.delete(id, revision)),

    /** The newest decisions of models that are no evals yet, newest first. */
    async candidates(readable?: ReadableCalls): Promise<EvalCandidate[]> {
      const known = new Set((await evals.origins()).map(toKey));
      const decisions = (await readDecisions(readable)).filter(({ origin }) => !known.has(toKey(origin)));
      return decisions.slice(0, MAX_CANDIDATES).map(({ context: _context, ...candidate }) => candidate);
    },

    /** One decision with the conversation before it, for the form that makes an eval of it. */
    async candidate(origin: EvalOrigin, readable?: ReadableCalls): Promise<Decision> {
      const isReadable = readable === undefined || (await readable.mayReadRun(origin.runId));
      const decisions = isReadable ? await decide({ id: origin.runId, title: "" }) : [];
      const found = decisions.find((each) => each.origin.step === origin.step);
      if (found === undefined) throw new AppError("NOT_FOUND", `Run '${origin.runId}' has no decision ${origin.step}`);
      return found;
    },

    dismiss: (actor: Actor, origin: EvalOrigin): Promise<void> =>
      announced(evals.dismiss(ports.newEvalId(), origin, actor)),
  };
}

const toKey = ({ runId, step }: EvalOrigin): string => `${runId} ${step}`;
