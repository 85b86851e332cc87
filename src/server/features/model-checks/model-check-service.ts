import type { Actor } from "../../../lib/contract/actor";
import {
  DEMO_PROVIDER,
  type ModelCheckAttempt,
  type ModelCheckDetail,
  type ModelCheckSummary,
  type ModelScenario,
} from "../../../lib/contract/model";
import type { ModelDirectory } from "../../engine/agent/chat-ports";
import type { CallRegistry } from "../../platform/coordination/call-registry";
import { AppError } from "../../platform/shared/app-error";
import { byName, type MethodRules } from "../../platform/shared/method-rules";
import type { CheckWithAttempts, ModelCheckStore, StoredCheck } from "./model-check-store";
import { isValidated, readVerdicts } from "./model-verdict";
import { createRunningChecks, INTERRUPTED, type RunningCheckPorts } from "./running-checks";
import { CHECK_SCENARIOS } from "./scenarios/check-scenarios";

export interface ModelCheckServicePorts extends RunningCheckPorts {
  models: ModelDirectory;
  /** Called after a check began, got an attempt or ended. */
  onChange: () => void;
  newId: () => string;
  /** Reaches checks wherever they run. */
  calls?: CallRegistry | undefined;
}

const PAGE = 30;

/** Runs models against scenarios with tools, and stores the results. */
export function createModelCheckService(ports: ModelCheckServicePorts) {
  const { clock } = ports;
  const store = announceWrites(ports.store, ports.onChange);
  const running = createRunningChecks({ ...ports, store });
  ports.calls?.handle("model_check", async (id) => running.cancel(id));

  async function find(id: string): Promise<CheckWithAttempts> {
    const check = await store.get(id);
    if (check === null) throw new AppError("NOT_FOUND", `Model check '${id}' not found`);
    return check;
  }

  /** Their tools are in the memory of the copy that began them, so no other one continues them. */
  async function endAbandoned(): Promise<void> {
    for (const { id, owner } of await store.running()) {
      if (running.has(id)) continue;
      await store.finish(id, { status: "interrupted", finishedAt: clock.now(), error: INTERRUPTED }, owner);
    }
  }

  return {
    /** Ends the checks that processes left running which ended. */
    load: endAbandoned,

    /** Stops what runs here, as interrupted. Call it before the runs are stopped. */
    close: running.close,

    scenarios: (): ModelScenario[] => CHECK_SCENARIOS.map(toScenario),

    async list(query: { provider?: string | undefined; model?: string | undefined; cursor?: number | undefined }) {
      const { items, nextCursor } = await store.list({ ...query, limit: PAGE });
      return { items: items.map(toSummary), nextCursor };
    },

    get: async (id: string): Promise<ModelCheckDetail> => toDetail(await find(id)),

    /** Resolves once it is stored; it runs in the background. @throws AppError for a provider that cannot be used */
    async start(
      actor: Actor,
      { provider, model, rounds }: { provider: string; model: string; rounds: number },
    ): Promise<ModelCheckSummary> {
      if (running.isClosing()) {
        throw new AppError("UNAVAILABLE", "The server is stopping: start the check again afterwards");
      }
      if (provider === DEMO_PROVIDER) {
        throw new AppError("INVALID", "provider: the demo model follows fixed rules and cannot be checked");
      }
      await ports.models.client(provider);
      await endAbandoned();
      const id = ports.newId();
      const total = rounds * CHECK_SCENARIOS.length;
      const stored = await running.start({ id, actor, provider, model, rounds }, () =>
        store.create({ id, provider, model, rounds, startedAt: clock.now(), total }),
      );
      if (stored === null) {
        throw new AppError("CONFLICT", `A check of ${model} is running already: wait for it or cancel it`);
      }
      return toSummary(stored);
    },

    /** False when it was over already. */
    async cancel(_actor: Actor, id: string): Promise<{ cancelled: boolean }> {
      if (running.cancel(id)) return { cancelled: true };
      await find(id);
      return { cancelled: (await ports.calls?.cancel("model_check", id))?.status === "done" };
    },

    verdicts: () => readVerdicts(store),
  };
}

/** Every write announces itself, so nothing else gets the store. */
function announceWrites(store: ModelCheckStore, announce: () => void): ModelCheckStore {
  async function announced<T>(write: Promise<T>): Promise<T> {
    const result = await write;
    if (result !== null) announce();
    return result;
  }
  const { get, list, running, newestFinished } = store;
  return {
    ...{ get, list, running, newestFinished },
    create: (check) => announced(store.create(check)),
    keepAttempts: (id, attempts) => announced(store.keepAttempts(id, attempts)),
    finish: (id, end, owner) => announced(store.finish(id, end, owner)),
  };
}

function toSummary(check: StoredCheck): ModelCheckSummary {
  const { id, seq, provider, model, status, rounds, startedAt, finishedAt, passed, done, total, error } = check;
  const validated = isValidated(check);
  return { id, seq, provider, model, status, rounds, startedAt, finishedAt, passed, done, total, error, validated };
}

function toDetail(check: CheckWithAttempts): ModelCheckDetail {
  return { ...toSummary(check), scenarios: CHECK_SCENARIOS.map(toScenario), attempts: sortAttempts(check.attempts) };
}

function toScenario({ id, title, description }: ModelScenario): ModelScenario {
  return { id, title, description };
}

/** In the order of the scenarios' list, then by round. */
function sortAttempts(attempts: readonly ModelCheckAttempt[]): ModelCheckAttempt[] {
  const positions = new Map(CHECK_SCENARIOS.map(({ id }, at) => [id, at]));
  const of = ({ scenario }: ModelCheckAttempt): number => positions.get(scenario) ?? CHECK_SCENARIOS.length;
  return [...attempts].sort((one, other) => of(one) - of(other) || one.round - other.round);
}

export const MODEL_CHECK_RULES: MethodRules<ReturnType<typeof createModelCheckService>> = {
  start: {
    permission: "run",
    target: ([{ provider: name, model }]) => ({ kind: "model", name: `${name}/${model}` }),
    after: ([{ rounds }], { id }) => ({ id, rounds }),
  },
  cancel: { permission: "run", target: byName("model check"), after: (_, outcome) => outcome },
};
