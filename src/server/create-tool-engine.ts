import { newExecutionId } from "../lib/execution-id";
import type { ApprovalBroker } from "./engine/approvals/approval-ports";
import { DEFAULT_LIMITS } from "./engine/executor/call-limit";
import { ToolExecutor, type ToolExecutorPorts } from "./engine/executor/tool-executor";
import type { FindLens } from "./engine/lens/lens-ports";
import type { McpCaller } from "./engine/mcp-ports";
import type {
  Clock,
  ExecutionJournal,
  ExecutionLimits,
  ExecutionObserver,
  Handler,
  Handlers,
  Logger,
  Masking,
} from "./engine/ports";
import { ToolRegistry } from "./engine/registry/tool-registry";
import type { CallRules } from "./engine/rules/call-rules";
import { MathEvaluator } from "./platform/math-evaluator";
import { AjvValidator } from "./platform/workers/ajv-validator";
import { createBuiltinHandlers } from "./platform/workers/builtin-handlers";
import { JmespathProjector } from "./platform/workers/lens-projector";

interface EnginePartsOptions {
  logger?: Logger;
  /** Added to the built-in handlers; one of the same name replaces it. */
  builtins?: Handlers;
  internals?: Handlers;
  limits?: Partial<ExecutionLimits>;
  /** The project's folder, from which worker files are loaded. */
  home?: string;
  /** Milliseconds one calculation of `math_eval` may take outside this process. */
  mathLimitMs?: number;
  /** Milliseconds a validation may take outside the main thread. */
  validationMs?: number;
}

interface ExecutorOptions {
  logger?: Logger;
  mcp?: McpCaller;
  /** See `ToolExecutorPorts`. */
  explainMissing?: ToolExecutorPorts["explainMissing"];
  /** The rules that decide on calls before a user is asked. */
  rules?: CallRules;
  /** Asks users before a tool runs. */
  approvals?: ApprovalBroker;
  /** Stores executions; absent: they are not stored. */
  journal?: ExecutionJournal;
  observer?: ExecutionObserver;
  /** The masks in place of marked values and known secrets where calls are stored. */
  masking?: Masking;
  /** Finds the lenses of tools; absent: no tool has one. */
  findLens?: FindLens;
}

export interface ToolEngineOptions extends EnginePartsOptions, ExecutorOptions {}

/** The engine without the executor: the parts for services that the executor itself uses. */
export interface EngineParts {
  registry: ToolRegistry;
  validator: AjvValidator;
  handlers: { builtins: Handlers; internals: Handlers };
  limits: ExecutionLimits;
  lenses: JmespathProjector;
  /** Adds handlers of services that are constructed later; existing ones stay. */
  addInternals(handlers: Handlers): void;
  /** Ends the worker threads and the calculator's process. */
  close(): Promise<void>;
}

export interface ToolEngine extends EngineParts {
  executor: ToolExecutor;
}

export const silentLogger: Logger = { isLevelEnabled: () => false, debug() {}, info() {}, warn() {}, error() {} };

export const systemClock: Clock = { now: Date.now, elapsed: performance.now.bind(performance) };

/**
 * Registry and executor wired with the real validator and handlers, no database: for tests, benches and embedding. The
 * server's container builds on the same functions.
 */
export function createToolEngine(options: ToolEngineOptions = {}): ToolEngine {
  const parts = createEngineParts(options);
  return { ...parts, executor: createExecutor(parts, options) };
}

export function createEngineParts(options: EnginePartsOptions): EngineParts {
  const home = options.home ?? process.cwd();
  const validator = new AjvValidator({ home, validationMs: options.validationMs });
  const math = new MathEvaluator({ home, limitMs: options.mathLimitMs });
  const lenses = new JmespathProjector({ home });
  const internals: Record<string, Handler> = { ...options.internals };
  return {
    registry: new ToolRegistry({ validator, logger: options.logger ?? silentLogger }),
    validator,
    handlers: { builtins: { ...createBuiltinHandlers({ math }), ...options.builtins }, internals },
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    lenses,
    addInternals(handlers) {
      for (const [name, handler] of Object.entries(handlers)) internals[name] ??= handler;
    },
    close: async () => {
      await Promise.all([validator.close(), math.close(), lenses.close()]);
    },
  };
}

export function createExecutor(
  { registry, validator, handlers, limits, lenses }: EngineParts,
  { logger = silentLogger, mcp, findLens, ...ports }: ExecutorOptions,
): ToolExecutor {
  return new ToolExecutor({
    explainMissing: ports.explainMissing,
    rules: ports.rules,
    approvals: ports.approvals,
    journal: ports.journal,
    observer: ports.observer,
    masking: ports.masking,
    registry,
    validator,
    implementations: { ...handlers, mcp },
    limits,
    logger,
    clock: systemClock,
    newId: newExecutionId,
    lenses: findLens === undefined ? undefined : { find: findLens, projector: lenses },
  });
}
