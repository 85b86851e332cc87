import { type HeldChange, refusesCalls } from "../../../lib/contract/held-change";
import type { LastEdit } from "../../../lib/contract/last-edit";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { CreateToolFinder, ToolFinder } from "../../engine/ports";
import type { ToolRegistry } from "../../engine/registry/tool-registry";
import type { Change } from "../../platform/shared/announced-edits";
import { AppError } from "../../platform/shared/app-error";
import type { CatalogEntry } from "./catalog-entry";

/** All tools by name, in the order of lists. The registry has those that are switched on. */
export class Catalog {
  readonly #entries = new Map<string, CatalogEntry>();
  /** Names from configuration, code and servers that a user switched off; a server may list its tools later. */
  readonly switchedOff = new Set<string>();
  /** The names of each server's tools, in the order in which it lists them. */
  readonly listedOrder = new Map<string, readonly string[]>();

  /** Indexed on first use, and again after a change. */
  #finder: ToolFinder | null = null;
  #version = 0;

  /** @param applySettings applies the settings of users to a definition that is not the console's own */
  constructor(
    readonly registry: ToolRegistry,
    private readonly applySettings: (definition: ToolDefinition) => ToolDefinition,
    private readonly createFinder: CreateToolFinder,
  ) {}

  get entries(): ReadonlyMap<string, CatalogEntry> {
    return this.#entries;
  }

  /** Another number after every change of an entry: what was derived from all of them is current while it is the same. */
  get version(): number {
    return this.#version;
  }

  /** @throws AppError for an unknown tool */
  find(name: string): CatalogEntry {
    const entry = this.#entries.get(name);
    if (!entry) throw new AppError("NOT_FOUND", `Tool '${name}' not found`);
    return entry;
  }

  search(query: string): ToolDefinition[] {
    const enabled = [...this.#entries.values()].flatMap((entry) => (entry.enabled ? [entry.definition] : []));
    if (query.trim() === "") return enabled;
    this.#finder ??= this.createFinder(enabled);
    return this.#finder.search(query).flatMap((name) => this.#entries.get(name)?.definition ?? []);
  }

  /** Adds the tools that the registry read from configuration and code. */
  addRegistered(change: Change, definition: ToolDefinition, from: Pick<CatalogEntry, "origin" | "originPath">) {
    this.#put(change, { definition, ...from, enabled: true, updatedAt: null });
    this.refresh(change, definition.name);
  }

  /** Adds a tool made in the console. @throws Error that says why it cannot be registered */
  addOwn(change: Change, definition: ToolDefinition, lastEdit: LastEdit): CatalogEntry {
    const registered = this.registry.register(definition);
    const origin = { origin: "console", originPath: null } as const;
    return this.#put(change, { definition: registered, ...origin, enabled: true, updatedAt: lastEdit.at, lastEdit });
  }

  /** Gives a tool made in the console another definition, also under another name. */
  replaceOwn(change: Change, before: CatalogEntry, definition: ToolDefinition, lastEdit: LastEdit): CatalogEntry {
    const { name } = before.definition;
    if (!before.enabled) this.registry.register(definition);
    const registered = this.registry.replace(before.enabled ? name : definition.name, definition);
    if (!before.enabled) this.registry.unregister(definition.name);
    this.#delete(name);
    return this.#put(change, { ...before, definition: registered, updatedAt: lastEdit.at, lastEdit });
  }

  /** Adds a tool of an MCP server. @throws Error that says why it cannot be registered */
  addServerTool(
    change: Change,
    original: ToolDefinition,
    facts: Pick<CatalogEntry, "schemaNotes" | "held">,
  ): CatalogEntry {
    const origin = { origin: "server", originPath: null } as const;
    const definition = this.applySettings(original);
    const entry: CatalogEntry = { definition, original, ...origin, enabled: true, updatedAt: null, ...facts };
    return this.#put(change, { ...entry, definition: this.#registerServerTool(entry) });
  }

  /** Applies a changed setting to a tool that is not the console's own. */
  refresh(change: Change, name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined || entry.origin === "console") return;
    const original = entry.original ?? entry.definition;
    this.#put(change, { ...entry, definition: this.registry.redefine(this.applySettings(original)), original });
  }

  remove(change: Change, name: string): void {
    this.registry.unregister(name);
    this.#delete(name);
    change.mark();
  }

  /** Puts a tool into the registry or takes it out; it stays in the catalog. */
  switchTool(change: Change, name: string, enabled: boolean): void {
    const entry = this.find(name);
    const { registry } = this;
    if (!enabled) {
      const run = registry.getExecutor(name);
      registry.unregister(name);
      this.#put(change, { ...entry, enabled, run });
      return;
    }
    if (entry.origin === "server") this.#registerServerTool(entry);
    else if (entry.run) registry.registerFunction(entry.definition, entry.run);
    else registry.register(entry.definition);
    this.#put(change, { ...entry, enabled });
  }

  #put(change: Change, entry: CatalogEntry): CatalogEntry {
    this.#entries.set(entry.definition.name, entry);
    this.#outdate();
    change.mark();
    return entry;
  }

  /** Changes facts of an entry that its definition does not depend on, in its place. */
  amend(entry: CatalogEntry, facts: Pick<CatalogEntry, "lastEdit"> | Pick<CatalogEntry, "schemaNotes">): void {
    Object.assign(entry, facts);
    this.#version += 1;
  }

  #delete(name: string): void {
    this.#entries.delete(name);
    this.#outdate();
  }

  #outdate(): void {
    this.#finder = null;
    this.#version += 1;
  }

  /**
   * A tool with a change that waits keeps its approved definition for models and clients, and refuses calls. A new one that
   * waits is not offered. @throws Error that says why it cannot be registered
   */
  #registerServerTool({ definition, held }: CatalogEntry): ToolDefinition {
    const { name } = definition;
    const registered = this.registry.registerServerTool(definition);
    // A user took the approved definition as it is; a new tool has none.
    if (held === undefined || !refusesCalls(held)) return registered;
    if (held.kind === "added") this.registry.unregister(name);
    this.registry.hold(name, describeHeld(name, held));
    return registered;
  }
}

function describeHeld(name: string, { kind }: HeldChange): string {
  if (kind === "removed") return `The server of '${name}' removed this tool, waiting for approval`;
  return kind === "added"
    ? `Tool '${name}' is new on its server, waiting for approval`
    : `The definition of '${name}' changed, waiting for approval`;
}
