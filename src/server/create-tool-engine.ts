import { newExecutionId } from "../lib/execution-id";
import type { ApprovalBroker } from "./engine/approvals/approval-ports";
import { DEFAULT_LIMITS } from "./engine/executor/execution-limits";
import { ToolExecutor, type ToolExecutorPorts } from "./engine/executor/tool-executor";
import type { FindLens } from "./engine/lens/lens-ports";
import type { McpCaller } from "./engine/mcp-ports";
import type {
  Clock,
  ExecutionJournal,
  ExecutionLimits,
  ExecutionObserver,
  Handlers,
  Logger,
  Masking,
} from "./engine/ports";
import { ToolRegistry } from "./engine/registry/tool-registry";
import { MathEvaluator } from "./platform/math-evaluator";
import { AjvValidator } from "./platform/workers/ajv-validator";
import { createBuiltinHandlers } from "./platform/workers/builtin-handlers";
import { JmespathProjector } from "./platform/workers/lens-projector";

export interface ToolEngineOptions {
  logger?: Logger;
  /** Added to the built-in ones; one of the same name replaces it. */
  builtins?: Handlers;
  internals?: Handlers;
  /** Runs the tools of MCP servers. */
  mcp?: McpCaller;
  /** See `ToolExecutorPorts`. */
  explainMissing?: ToolExecutorPorts["explainMissing"];
  /** Where people are asked before a tool runs. */
  approvals?: ApprovalBroker;
  limits?: Partial<ExecutionLimits>;
  /** Where executions are kept; absent, they are not. */
  journal?: ExecutionJournal;
  observer?: ExecutionObserver;
  /** What stands for marked values and known secrets where calls are stored. */
  masking?: Masking;
  /** The lenses of tools; absent: none has one. */
  findLens?: FindLens;
  /** The project's folder, from which worker files are loaded. */
  rootDir?: string;
  /** Milliseconds one calculation of `math_eval` may take outside this process. */
  mathLimitMs?: number;
  /** Milliseconds a validation may take outside the main thread. */
  validationMs?: number;
}

export interface ToolEngine {
  registry: ToolRegistry;
  executor: ToolExecutor;
  validator: AjvValidator;
  handlers: { builtins: Handlers; internals: Handlers };
  limits: ExecutionLimits;
  lenses: JmespathProjector;
  /** Ends the worker threads and the calculator's process. */
  close(): Promise<void>;
}

export const silentLogger: Logger = { isLevelEnabled: () => false, debug() {}, info() {}, warn() {}, error() {} };

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

/**
 * Registry and executor wired with the real validator and handlers, no database: for tests, benches and embedding. The
 * server's container builds on the same function.
 */
export function createToolEngine(options: ToolEngineOptions = {}): ToolEngine {
  const rootDir = options.rootDir ?? process.cwd();
  const logger = options.logger ?? silentLogger;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const validator = new AjvValidator({ rootDir, validationMs: options.validationMs });
  const math = new MathEvaluator({ rootDir, limitMs: options.mathLimitMs });
  const builtins: Handlers = { ...createBuiltinHandlers({ math }), ...options.builtins };
  const internals: Handlers = { ...options.internals };
  const lenses = new JmespathProjector({ rootDir });
  const { findLens } = options;
  const registry = new ToolRegistry({ validator, logger });
  const executor = new ToolExecutor({
    registry,
    validator,
    implementations: { builtins, internals, mcp: options.mcp },
    explainMissing: options.explainMissing,
    approvals: options.approvals,
    limits,
    logger,
    clock: systemClock,
    newId: newExecutionId,
    journal: options.journal,
    observer: options.observer,
    masking: options.masking,
    lenses: findLens === undefined ? undefined : { find: findLens, projector: lenses },
  });
  return {
    registry,
    executor,
    validator,
    handlers: { builtins, internals },
    limits,
    lenses,
    close: async () => {
      await Promise.all([validator.close(), math.close(), lenses.close()]);
    },
  };
}
