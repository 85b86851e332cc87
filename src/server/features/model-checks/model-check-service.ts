import type {
  ModelCheckAttempt,
  ModelCheckDetail,
  ModelCheckSummary,
  ModelScenario,
  ModelVerdict,
} from "../../../lib/contract";
import { messageOf } from "../../../lib/message-of";
import { AppError } from "../../app-error";
import type { ModelDirectory } from "../../engine/chat-ports";
import type { Clock, Logger } from "../../engine/ports";
import type { RunStarter } from "../../engine/run-ports";
import { isValidated, type ModelCheckStore, type StoredCheck, toVerdict } from "./model-check-store";
import { type AttemptOutcome, runAttempt } from "./run-attempt";
import { CHECK_SCENARIOS } from "./scenarios/check-scenarios";
import type { CheckScenario } from "./scenarios/scenario";

export interface ModelCheckServicePorts {
  store: ModelCheckStore;
  runs: RunStarter;
  models: ModelDirectory;
  clock: Clock;
  newId: () => string;
  instanceId: string;
  /** Whether the process that began a check still runs. */
  isAlive: (instanceId: string) => Promise<boolean>;
  logger: Logger;
  onChange: () => void;
  /** How long one run may take; two minutes when absent. */
  attemptLimitMs?: number;
}

export type ModelCheckService = ReturnType<typeof createModelCheckService>;

/** Scenarios that go on side by side; the rounds of one come one after another. */
const LANES = 3;
const ATTEMPT_LIMIT_MS = 120_000;
const PAGE = 30;
/** A key or a model that is wrong stays wrong: so many in a row end the check. */
const FATAL_FAULTS = 2;
const INTERRUPTED = "Interrupted: the server ended while this check was running";

interface LiveCheck {
  id: string;
  provider: string;
  model: string;
  rounds: number;
  stop: AbortController;
  attempts: ModelCheckAttempt[];
  /** Faults of the provider in a row that no repetition mends. */
  fatal: number;
  error: string | null;
  ended: Promise<void>;
}

/** Tries models with tools, and remembers how they did. */
export function createModelCheckService(ports: ModelCheckServicePorts) {
  const { store, clock } = ports;
  const live = new Map<string, LiveCheck>();
  let closing = false;

  async function tryOnce(check: LiveCheck, scenario: CheckScenario, round: number): Promise<void> {
    const { provider, model, stop } = check;
    const limitMs = ports.attemptLimitMs ?? ATTEMPT_LIMIT_MS;
    const { runs } = ports;
    const { attempt, fault } = await runAttempt(
      { runs, clock, provider, model, limitMs, signal: stop.signal },
      scenario,
      round,
    );
    if (attempt === null) return;
    check.attempts.push(attempt);
    await store.keepAttempts(check.id, [...check.attempts]);
    ports.onChange();
    noteFault(check, fault);
  }

  async function tryAll(check: LiveCheck): Promise<void> {
    const waiting = [...CHECK_SCENARIOS];
    const lane = async (): Promise<void> => {
      for (let scenario = waiting.shift(); scenario !== undefined; scenario = waiting.shift()) {
        for (let round = 1; round <= check.rounds && !check.stop.signal.aborted; round += 1) {
          await tryOnce(check, scenario, round);
        }
      }
    };
    const lanes = Array.from({ length: LANES }, () =>
      lane().catch((error: unknown) => {
        // One lane that cannot go on ends the others: they would fail in the same way.
        check.error ??= messageOf(error);
        check.stop.abort();
      }),
    );
    await Promise.all(lanes);
  }

  async function carryOut(check: LiveCheck): Promise<void> {
    await tryAll(check);
    const { id, error, stop } = check;
    const status = closing ? "interrupted" : error !== null ? "failed" : stop.signal.aborted ? "cancelled" : "finished";
    try {
      await store.finish(id, { status, finishedAt: clock.now(), error: closing ? INTERRUPTED : error });
    } catch (fault) {
      ports.logger.error({ check: id, error: messageOf(fault) }, "The end of a model check could not be stored");
    }
    live.delete(id);
    ports.onChange();
  }

  async function find(id: string) {
    const check = await store.get(id);
    if (check === null) throw new AppError("NOT_FOUND", `Model check '${id}' not found`);
    return check;
  }

  return {
    /** Ends the checks of processes that are gone. */
    async load(): Promise<void> {
      for (const { id, instanceId } of await store.running()) {
        if (live.has(id) || (instanceId !== ports.instanceId && (await ports.isAlive(instanceId)))) continue;
        await store.finish(id, { status: "interrupted", finishedAt: clock.now(), error: INTERRUPTED });
      }
    },

    /** Stops what runs here, as interrupted. Call it before the runs are stopped. */
    async close(): Promise<void> {
      closing = true;
      const checks = [...live.values()];
      for (const { stop } of checks) stop.abort();
      await Promise.all(checks.map(({ ended }) => ended));
    },

    scenarios: (): ModelScenario[] => CHECK_SCENARIOS.map(toScenario),

    async list(query: { provider?: string | undefined; model?: string | undefined; cursor?: number | undefined }) {
      const { items, nextCursor } = await store.list({ ...query, limit: PAGE });
      return { items: items.map(toSummary), nextCursor };
    },

    async get(id: string): Promise<ModelCheckDetail> {
      const check = await find(id);
      return { ...toSummary(check), scenarios: CHECK_SCENARIOS.map(toScenario), attempts: inOrder(check.attempts) };
    },

    /** Resolves once it is stored; it goes on in the background. @throws AppError for a provider that cannot be used */
    async start(request: { provider: string; model: string; rounds: number }): Promise<ModelCheckSummary> {
      const { provider, model, rounds } = request;
      if (closing) throw new AppError("UNAVAILABLE", "The server is stopping: start the check again afterwards");
      await ports.models.client(provider);
      const other = [...live.values()].find((check) => check.provider === provider && check.model === model);
      if (other !== undefined) {
        throw new AppError("CONFLICT", `A check of ${model} is running already: wait for it or cancel it`);
      }
      const id = ports.newId();
      const check: LiveCheck = {
        ...{ id, provider, model, rounds, stop: new AbortController() },
        ...{ attempts: [], fatal: 0, error: null, ended: Promise.resolve() },
      };
      // Noted before it is stored, so that a second start of the same model is refused.
      live.set(id, check);
      try {
        const total = rounds * CHECK_SCENARIOS.length;
        const { instanceId } = ports;
        const stored = await store.create({ id, provider, model, rounds, startedAt: clock.now(), total, instanceId });
        ports.onChange();
        check.ended = carryOut(check);
        return toSummary(stored);
      } catch (error) {
        live.delete(id);
        throw error;
      }
    },

    /** False when it was over already, or another process runs it. */
    async cancel(id: string): Promise<{ cancelled: boolean }> {
      const check = live.get(id);
      if (check === undefined) {
        await find(id);
        return { cancelled: false };
      }
      check.stop.abort();
      return { cancelled: true };
    },

    /** The newest finished check of each model, for the picker. */
    async verdicts(): Promise<{ provider: string; model: string; verdict: ModelVerdict }[]> {
      const checks = await store.newestFinished();
      return checks.map((check) => ({ provider: check.provider, model: check.model, verdict: toVerdict(check) }));
    },
  };
}

function noteFault(check: LiveCheck, fault: AttemptOutcome["fault"]): void {
  if (fault?.kind !== "auth" && fault?.kind !== "not_found") {
    check.fatal = 0;
    return;
  }
  check.fatal += 1;
  if (check.fatal < FATAL_FAULTS || check.stop.signal.aborted) return;
  check.error = fault.message;
  check.stop.abort();
}

function toSummary(check: StoredCheck): ModelCheckSummary {
  const { id, seq, provider, model, status, rounds, startedAt, finishedAt, passed, done, total, error } = check;
  return {
    ...{ id, seq, provider, model, status, rounds, startedAt, finishedAt, passed, done, total, error },
    validated: isValidated(check),
  };
}

function toScenario({ id, title, description }: ModelScenario): ModelScenario {
  return { id, title, description };
}

/** By scenario as they are listed, then by round. */
function inOrder(attempts: readonly ModelCheckAttempt[]): ModelCheckAttempt[] {
  const place = new Map(CHECK_SCENARIOS.map(({ id }, at) => [id, at]));
  const of = ({ scenario }: ModelCheckAttempt): number => place.get(scenario) ?? CHECK_SCENARIOS.length;
  return [...attempts].sort((one, other) => of(one) - of(other) || one.round - other.round);
}
