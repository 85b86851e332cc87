import path from "node:path";
import { createToolEngine as createEngine } from "./create-tool-engine";

// `toolroom/engine`: its types name nothing outside this file, so that they need no other package.

/** The context that a tool receives beside its arguments. */
export interface ToolCallContext {
  /** Aborted by the timeout and by the caller. */
  readonly signal: AbortSignal;
  readonly logger: Record<"debug" | "info" | "warn" | "error", (message: string) => void>;
}

/** A tool's definition; further keys are kept. */
export interface ToolDescription {
  name: string;
  description: string;
  /** A JSON Schema of type `object`. */
  parameters: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}

export interface CallOptions {
  /** Overrides the timeout of the tool and of the engine. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

interface CallOutcome {
  tool_name: string;
  execution_time_ms: number;
  execution_id: string;
  status: "succeeded" | "failed" | "timed_out" | "cancelled" | "interrupted";
}

/** The response of every call. */
export type CallEnvelope = CallOutcome &
  (
    | { success: true; result: unknown }
    | {
        success: false;
        /** Readable by users and models. */
        error: string;
        error_kind: string;
        /** The problems of the arguments, by JSON pointer. */
        faults?: { pointer: string; path: string; keyword: string; message: string }[];
      }
  );

export interface EngineOptions {
  /** The timeout of a call, in milliseconds. */
  timeoutMs?: number;
}

export interface Engine {
  readonly registry: {
    /** @throws Error that names what is wrong with the definition, or that the name is taken */
    registerFunction(
      tool: ToolDescription,
      run: (args: Record<string, unknown>, context: ToolCallContext) => Promise<string>,
    ): unknown;
    /** Tools as in the configuration file, under `tools.registry`. */
    loadConfig(config: unknown): { registered: string[]; rejected: { name: string | null; error: string }[] };
    unregister(name: string): boolean;
    list(): readonly ToolDescription[];
  };
  readonly executor: {
    /** Never rejects: every failure is an envelope. */
    execute(name: string, args?: unknown, options?: CallOptions): Promise<CallEnvelope>;
  };
  /** Ends the worker threads and the calculator's process. */
  close(): Promise<void>;
}

/** The engine of the installed package, whose workers are beside it. */
export function createToolEngine({ timeoutMs }: EngineOptions = {}): Engine {
  const home = path.resolve(import.meta.dirname, "..");
  return createEngine({ home, limits: timeoutMs === undefined ? {} : { timeoutMs } });
}
