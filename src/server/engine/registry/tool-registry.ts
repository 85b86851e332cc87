import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import { describeProblem, type Problem } from "../../../lib/contract/problem";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { getMessage } from "../../../lib/get-message";
import type { ArgumentValidator, Logger, ToolFunction } from "../ports";
import { checkDefinition, deepFreeze, freezeDefinition, HTTP_NOT_SUPPORTED } from "./check-definition";
import { convertTool, type ProviderFormat, requireProvider } from "./provider-formats";

export interface LoadOutcome {
  registered: string[];
  rejected: { name: string | null; error: string }[];
}

interface Entry {
  definition: ToolDefinition;
  run: ToolFunction | undefined;
}

/** A definition without the facts that only the registry has. */
export type FunctionDefinition = Omit<ToolDefinition, "implementation" | "handler" | "type"> & {
  type?: "function";
  handler?: string;
};

/**
 * The tools that can be called, by name. Names are looked up in a Map, so `constructor` or `__proto__` are unknown
 * tools like any other. Definitions are copied and frozen on the way in.
 */
export class ToolRegistry {
  readonly #entries = new Map<string, Entry>();
  readonly #held = new Map<string, string>();
  readonly #logger: Logger;
  readonly #checkSchema: (schema: JsonSchema) => string | null;

  constructor(options: { validator: Pick<ArgumentValidator, "checkSchema">; logger: Logger }) {
    this.#logger = options.logger;
    this.#checkSchema = (schema) => options.validator.checkSchema(schema);
  }

  /**
   * @throws Error whose message names every fault; a name that is taken is one, and the first tool stays.
   */
  register(definition: ToolDefinition): ToolDefinition {
    const problems = checkDefinition(definition, this.#checkSchema);
    if (problems.length > 0) throw new Error(problemSentence(definition, problems));
    if (this.#entries.has(definition.name)) throw new Error(`Tool '${definition.name}' is already registered`);
    return this.#put(definition, undefined);
  }

  /**
   * Registers a function in code. Registering a name again warns and overwrites, so that a module can be reloaded.
   * @throws Error whose message names every fault of the definition
   */
  registerFunction(definition: FunctionDefinition, run: ToolFunction): ToolDefinition {
    if (typeof run !== "function") throw new Error("A function tool needs a function that takes one arguments object");
    const complete: ToolDefinition = {
      handler: definition.name,
      ...definition,
      type: "function",
      implementation: { type: "function" },
    } as ToolDefinition;
    const problems = checkDefinition(complete, this.#checkSchema, { implemented: true });
    if (problems.length > 0) throw new Error(problemSentence(definition, problems));
    if (this.#entries.has(complete.name)) {
      this.#logger.warn(
        { tool: complete.name },
        `Tool '${complete.name}' was registered before; the new one replaces it`,
      );
    }
    return this.#put(complete, run);
  }

  /**
   * Registers a tool of an MCP server; its definition was made here from what the server listed, so it is frozen as it is.
   * Its schema is not checked: what of it cannot be used is left out when arguments are validated.
   * @throws as `register`
   */
  registerServerTool(definition: ToolDefinition): ToolDefinition {
    const problems = checkDefinition(definition, () => null, { implemented: true });
    if (problems.length > 0) throw new Error(describeProblems(problems));
    if (this.#entries.has(definition.name)) throw new Error(`the name '${definition.name}' is already taken`);
    const frozen = deepFreeze(definition);
    this.#entries.set(frozen.name, { definition: frozen, run: undefined });
    return frozen;
  }

  /**
   * Registers the tools of a configuration file (`{ tools: { registry: [...] } }`). Never throws: an invalid tool is
   * logged, reported and left out, the others load.
   */
  loadConfig(config: unknown): LoadOutcome {
    const outcome: LoadOutcome = { registered: [], rejected: [] };
    const reject = (name: string | null, error: string): void => {
      outcome.rejected.push({ name, error });
      this.#logger.error(
        { tool: name, error },
        `Configuration: tool ${name === null ? "" : `'${name}' `}not loaded: ${error}`,
      );
    };
    const tools = isPlainObject(config) && Object.hasOwn(config, "tools") ? config.tools : undefined;
    if (tools === undefined && isPlainObject(config)) return outcome;
    if (!isPlainObject(tools)) {
      reject(null, "the configuration must be an object with a tools object");
      return outcome;
    }
    if (tools.enabled === false || tools.registry === undefined) return outcome;
    if (!Array.isArray(tools.registry)) {
      reject(null, "tools.registry must be a list of tool definitions");
      return outcome;
    }
    for (const candidate of tools.registry as unknown[]) {
      const name = isPlainObject(candidate) && typeof candidate.name === "string" ? candidate.name : null;
      try {
        outcome.registered.push(this.register(candidate as ToolDefinition).name);
      } catch (error) {
        reject(name, getMessage(error));
      }
    }
    return outcome;
  }

  /** Replaces a tool's definition in place, keeping its position in `list()`. @throws as `register` */
  replace(name: string, definition: ToolDefinition): ToolDefinition {
    const problems = checkDefinition(definition, this.#checkSchema);
    if (problems.length > 0) throw new Error(problemSentence(definition, problems));
    if (definition.name !== name) {
      if (this.#entries.has(definition.name)) throw new Error(`Tool '${definition.name}' is already registered`);
      this.#entries.delete(name);
    }
    return this.#put(definition, undefined);
  }

  /** Replaces the definition of the tool and keeps its code: for texts about the tool, not for its parameters. */
  redefine(definition: ToolDefinition): ToolDefinition {
    const frozen = deepFreeze(definition);
    const entry = this.#entries.get(frozen.name);
    if (entry !== undefined) this.#entries.set(frozen.name, { ...entry, definition: frozen });
    return frozen;
  }

  /** Refuses calls of the name with this message, registered or not, until it is unregistered or released. */
  hold(name: string, message: string): void {
    this.#held.set(name, message);
  }

  release(name: string): void {
    this.#held.delete(name);
  }

  /** Why calls of the name are refused; undefined for a tool that may be called. */
  heldReason(name: string): string | undefined {
    return this.#held.get(name);
  }

  unregister(name: string): boolean {
    this.#held.delete(name);
    return this.#entries.delete(name);
  }

  get(name: string): ToolDefinition | undefined {
    return this.#entries.get(name)?.definition;
  }

  /** The function registered in code; undefined for every other tool. */
  getExecutor(name: string): ToolFunction | undefined {
    return this.#entries.get(name)?.run;
  }

  list(): ToolDefinition[] {
    return Array.from(this.#entries.values(), (entry) => entry.definition);
  }

  /**
   * The catalog as a model API wants it, in registry order.
   * @param allowedTools only these names; an empty list gives none, undefined gives all
   * @throws Error for a provider that is not supported, naming those that are
   */
  toProviderFormat(provider: string, allowedTools?: readonly string[]): ProviderFormat[] {
    const known = requireProvider(provider);
    const allowed = allowedTools === undefined ? null : new Set(allowedTools);
    return this.list()
      .filter((tool) => allowed === null || allowed.has(tool.name))
      .map((tool) => convertTool(known, tool));
  }

  #put(definition: ToolDefinition, run: ToolFunction | undefined): ToolDefinition {
    const frozen = freezeDefinition(definition);
    this.#entries.set(frozen.name, { definition: frozen, run });
    return frozen;
  }
}

function problemSentence(definition: unknown, problems: readonly Problem[]): string {
  if (problems.length === 1 && problems[0]?.message === HTTP_NOT_SUPPORTED) return HTTP_NOT_SUPPORTED;
  const name = isPlainObject(definition) && typeof definition.name === "string" ? ` '${definition.name}'` : "";
  return `Tool definition${name} is invalid: ${describeProblems(problems)}`;
}

function describeProblems(problems: readonly Problem[]): string {
  return problems.map((problem) => describeProblem(problem)).join("; ");
}
