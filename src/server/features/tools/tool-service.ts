import type {
  ApprovalMode,
  ApprovalPolicy,
  Fault,
  LoadProblem,
  QualityNote,
  ToolDefinition,
  ToolDetail,
  ToolSummary,
} from "../../../lib/contract";
import { messageOf } from "../../../lib/message-of";
import { AppError } from "../../app-error";
import { checkDefinition } from "../../engine/check-definition";
import type { ArgumentValidator, Clock, ExecutionLimits, Handlers, Logger } from "../../engine/ports";
import type { LoadOutcome, ToolRegistry } from "../../engine/tool-registry";
import { validateArguments } from "../../engine/validate-arguments";
import { createTurns } from "../../in-turn";
import { parseJsonText } from "../../parse-json-text";
import { nameTaken, takeName } from "../../taken-names";
import { type CatalogueEntry, switchEntry, toDetail, toSummary, whereFrom } from "./catalogue-entry";
import { type ProviderText, providerTexts } from "./provider-texts";
import { forgetServerTools, renameServerTools, setServerTools } from "./server-tools";
import { createToolApprovals } from "./tool-approvals";
import { qualityOf } from "./tool-quality";
import { type FoundTool, searchTools } from "./tool-search";
import type { ToolStore } from "./tool-store";

export interface ToolServicePorts {
  registry: ToolRegistry;
  validator: ArgumentValidator;
  store: ToolStore;
  handlers: { builtins: Handlers; internals: Handlers };
  limits: ExecutionLimits;
  hashOf: (definition: ToolDefinition) => string;
  logger: Logger;
  clock: Clock;
  /** Which tools ask where nothing else says so; `destructive` when absent. */
  approvalPolicy?: ApprovalPolicy | undefined;
  /** Called after the catalogue changed. */
  onChange: () => void;
}

export type ToolService = ReturnType<typeof createToolService>;

/** The team's catalogue: what configuration, code and the console have put into the registry, and what could not be. */
export function createToolService(ports: ToolServicePorts) {
  const { registry, store, clock } = ports;
  const entries = new Map<string, CatalogueEntry>();
  const problems: LoadProblem[] = [];
  /** Names from configuration, code and servers that a person switched off; a server's tools may come later. */
  const switchedOff = new Set<string>();
  const approvals = createToolApprovals(store, ports.approvalPolicy ?? "destructive");
  const schemaCheck = (schema: ToolDefinition["parameters"]): string | null => ports.validator.checkSchema(schema);

  const find = (name: string): CatalogueEntry => {
    const entry = entries.get(name);
    if (!entry) throw new AppError("NOT_FOUND", `Tool '${name}' not found`);
    return entry;
  };
  const findEditable = (name: string): CatalogueEntry => {
    const entry = find(name);
    if (entry.origin !== "console") {
      const where = whereFrom(entry);
      throw new AppError("READ_ONLY", `Tool '${name}' comes from ${where}: change it there, or duplicate it here`);
    }
    return entry;
  };
  const summarise = (entry: CatalogueEntry): ToolSummary =>
    toSummary(entry, qualityOf(entry.definition, ports.handlers), approvals.of(entry.definition));
  const detail = (entry: CatalogueEntry): ToolDetail =>
    toDetail(summarise(entry), entry, ports.hashOf(entry.definition), ports.limits.timeoutMs);

  /** The definition in a text, checked as the registry will. @throws AppError listing every problem */
  function readDefinition(text: string): ToolDefinition {
    const candidate = parseJsonText(text, "definition");
    const faults = checkDefinition(candidate, schemaCheck);
    if (faults.length > 0) throw new AppError("INVALID", `The definition is invalid: ${faults.join("; ")}`, faults);
    return candidate as ToolDefinition;
  }

  /** What is wrong with arguments for a tool. @throws AppError where there is no such tool */
  async function faultsOf(name: string, args: unknown): Promise<Fault[]> {
    const { definition } = find(name);
    const refusal = await validateArguments(ports.validator, definition.parameters, args, ports.limits);
    return refusal?.faults ?? [];
  }

  /** @throws Error that says why it cannot be registered */
  function putOwn(definition: ToolDefinition, updatedAt: number): CatalogueEntry {
    const registered = registry.register(definition);
    const entry: CatalogueEntry = {
      ...{ definition: registered, origin: "console", originPath: null, enabled: true },
      updatedAt,
    };
    entries.set(registered.name, entry);
    return entry;
  }

  const inTurn = createTurns();

  return {
    /** Fills the catalogue at start; what is invalid becomes a problem, never an exception. */
    async load(config: { outcome: LoadOutcome; path: string; problems: LoadProblem[] }): Promise<void> {
      problems.push(...config.problems);
      await approvals.load();
      for (const { name, error } of config.outcome.rejected) {
        problems.push({ origin: "config", source: config.path, name, error });
      }
      const fromConfig = new Set(config.outcome.registered);
      for (const definition of registry.list()) {
        const origin = fromConfig.has(definition.name) ? "config" : "code";
        const originPath = origin === "config" ? config.path : null;
        entries.set(definition.name, { definition, origin, originPath, enabled: true, updatedAt: null });
      }
      for (const row of await store.list()) {
        try {
          putOwn(row.definition as ToolDefinition, row.updatedAt);
          if (!row.enabled) switchEntry(registry, entries, row.name, false);
        } catch (error) {
          const message = messageOf(error);
          ports.logger.error(
            { tool: row.name, error: message },
            `Catalogue: tool '${row.name}' not loaded: ${message}`,
          );
          problems.push({ origin: "console", source: "database", name: row.name, error: message });
        }
      }
      for (const name of await store.disabledNames()) {
        switchedOff.add(name);
        if (entries.has(name)) switchEntry(registry, entries, name, false);
      }
    },

    list(): { items: ToolSummary[]; problems: LoadProblem[] } {
      return { items: Array.from(entries.values(), summarise), problems };
    },

    get(name: string): ToolDetail {
      return detail(find(name));
    },

    find(name: string): ToolDetail | null {
      const entry = entries.get(name);
      return entry ? detail(entry) : null;
    },

    create: (definitionText: string): Promise<ToolDetail> =>
      inTurn(async () => {
        const definition = readDefinition(definitionText);
        if (entries.has(definition.name)) throw nameTaken(definition.name, "tool");
        await takeName(definition.name, "tool", () => store.create({ name: definition.name, definition }));
        // What was set for an earlier tool of this name is not meant for this one.
        await approvals.set(definition.name, null);
        const entry = putOwn(definition, clock.now());
        ports.onChange();
        return detail(entry);
      }),

    update: (name: string, definitionText: string): Promise<ToolDetail> =>
      inTurn(async () => {
        const before = findEditable(name);
        const definition = readDefinition(definitionText);
        if (definition.name !== name && entries.has(definition.name)) throw nameTaken(definition.name, "tool");
        await takeName(definition.name, "tool", () => store.update(name, { name: definition.name, definition }));
        if (definition.name !== name) await approvals.rename(name, definition.name);
        if (!before.enabled) registry.register(definition);
        const entry: CatalogueEntry = {
          ...before,
          definition: registry.replace(before.enabled ? name : definition.name, definition),
          updatedAt: clock.now(),
        };
        if (!before.enabled) registry.unregister(definition.name);
        entries.delete(name);
        entries.set(definition.name, entry);
        ports.onChange();
        return detail(entry);
      }),

    delete: (name: string): Promise<{ id: string }> =>
      inTurn(async () => {
        findEditable(name);
        const deleted = await store.delete(name);
        registry.unregister(name);
        entries.delete(name);
        ports.onChange();
        return { id: deleted.id };
      }),

    /** Undoes a delete. @throws AppError when the name has been given to another tool since */
    restore: (id: string): Promise<ToolDetail> =>
      inTurn(async () => {
        const row = await takeName("this name", "tool", () => store.restore(id));
        if (row === null) throw new AppError("NOT_FOUND", "There is no deleted tool with this id to bring back");
        if (entries.has(row.name)) {
          await store.delete(row.name);
          throw nameTaken(row.name, "tool");
        }
        putOwn(row.definition as ToolDefinition, row.updatedAt);
        if (!row.enabled) switchEntry(registry, entries, row.name, false);
        ports.onChange();
        return detail(find(row.name));
      }),

    setEnabled: (name: string, enabled: boolean): Promise<ToolSummary> =>
      inTurn(async () => {
        const entry = find(name);
        if (entry.enabled !== enabled) {
          if (entry.origin === "console") await store.setEnabled(name, enabled);
          else {
            await store.setDisabled(name, !enabled);
            if (enabled) switchedOff.delete(name);
            else switchedOff.add(name);
          }
          switchEntry(registry, entries, name, enabled);
          ports.onChange();
        }
        return summarise(find(name));
      }),

    /** Whether a person is asked before this tool runs; asked for every call. */
    asksFirst: (definition: ToolDefinition): boolean => approvals.required(definition),

    /** What a person wants of a tool, over its definition and its hints. @param mode null leaves it to those */
    setApproval: (name: string, mode: ApprovalMode | null): Promise<ToolSummary> =>
      inTurn(async () => {
        const entry = find(name);
        if (approvals.of(entry.definition).mode !== mode) {
          await approvals.set(name, mode);
          ports.onChange();
        }
        return summarise(entry);
      }),

    /**
     * Makes these the tools of an MCP server, in their order; none takes the server's tools away. What cannot be
     * registered is left out and reported, the others work.
     */
    setServerTools(server: string, definitions: readonly ToolDefinition[]): { name: string; error: string }[] {
      const { rejected, changed } = setServerTools({ registry, entries, switchedOff }, server, definitions);
      if (changed) ports.onChange();
      return rejected;
    },

    isSwitchedOff: (name: string): boolean => entries.get(name)?.enabled === false,

    /** Of a server that is deleted (`keepAlways`, since that may be undone) or made: choices end with their server. */
    forgetServerTools: (server: string, options: { keepAlways: boolean }): Promise<void> =>
      inTurn(() => forgetServerTools({ entries, approvals }, server, options)),

    renameServerTools: (from: string, to: string): Promise<void> =>
      inTurn(async () => {
        await forgetServerTools({ entries, approvals }, to, { keepAlways: false });
        await renameServerTools({ entries, switchedOff, store, approvals }, from, to);
      }),

    /** Everything wrong with a definition while it is being written. */
    checkDefinition(
      definitionText: string,
      editing: string | undefined,
    ): { problems: string[]; quality: QualityNote[] } {
      let candidate: unknown;
      try {
        candidate = parseJsonText(definitionText, "definition");
      } catch (error) {
        return { problems: [messageOf(error)], quality: [] };
      }
      const found = checkDefinition(candidate, schemaCheck);
      const name = (candidate as { name?: unknown } | null)?.name;
      if (typeof name === "string" && name !== editing && entries.has(name)) {
        found.push(`name '${name}' is already taken by a tool from ${find(name).origin}`);
      }
      return {
        problems: found,
        quality: found.length > 0 ? [] : qualityOf(candidate as ToolDefinition, ports.handlers),
      };
    },

    /** The executor's own verdict on arguments that have not been sent yet. */
    async validateArguments(name: string, argumentsText: string): Promise<{ valid: boolean; faults: Fault[] }> {
      find(name);
      const faults = await faultsOf(name, parseJsonText(argumentsText, "arguments"));
      return { valid: faults.length === 0, faults };
    },

    faultsOf,

    providerFormats: (name: string): ProviderText[] => providerTexts(find(name).definition),

    handlers(): { builtin: string[]; internal: string[] } {
      return {
        builtin: Object.keys(ports.handlers.builtins).sort(),
        internal: Object.keys(ports.handlers.internals).sort(),
      };
    },

    search: (query: string, limit: number): FoundTool[] => searchTools(entries.values(), query, limit),
  };
}
