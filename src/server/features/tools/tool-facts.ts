import type { Actor } from "../../../lib/contract/actor";
import type { ToolApproval } from "../../../lib/contract/approval";
import type { QualityNote, ToolDetail, ToolSummary } from "../../../lib/contract/catalog-tool";
import { refusesCalls } from "../../../lib/contract/held-change";
import type { JsonSchema } from "../../../lib/contract/json";
import type { ToolLens } from "../../../lib/contract/lens";
import type { DeprecatedKey, ToolDefinition } from "../../../lib/contract/tool-definition";
import type { Deprecation, ToolFacts } from "../../../lib/contract/tool-facts";
import { readDeprecation, readFacts, toDeprecatedKey } from "../../../lib/contract/tool-facts";
import type { Clock } from "../../engine/ports";
import { checkDefinition } from "../../engine/registry/check-definition";
import type { Change, Edit } from "../../platform/shared/announced-edits";
import { AppError, invalidInput } from "../../platform/shared/app-error";
import type { Catalog } from "./catalog";
import { type CatalogEntry, type ToolViews, whereFrom } from "./catalog-entry";
import type { ToolFactStore } from "./tool-store";

/** More successors in a row than any catalog has. */
const MAX_SUCCESSORS = 20;

export type KnownFacts = ReturnType<typeof createKnownFacts>;

interface KnownFactPorts {
  store: Pick<ToolFactStore, "owners" | "deprecations" | "lenses">;
  approvals: { of(definition: ToolDefinition): ToolApproval };
  /** Whether the catalog has a tool of this name. */
  isKnown: (name: string) => boolean;
}

/** The facts of tools. What is stored by name is kept in memory: every list shows it, every call asks for its lens. */
export function createKnownFacts({ store, approvals, isKnown }: KnownFactPorts) {
  let owners: ReadonlyMap<string, Actor> = new Map();
  let deprecations: ReadonlyMap<string, DeprecatedKey> = new Map();
  let lenses: ReadonlyMap<string, ToolLens> = new Map();
  const toText = (): string => JSON.stringify([owners, deprecations, lenses].map((facts) => [...facts]));
  return {
    /** @returns the tools whose deprecation has changed */
    async load(change: Change): Promise<string[]> {
      const before = deprecations;
      const known = toText();
      owners = await store.owners();
      deprecations = await store.deprecations();
      lenses = await store.lenses();
      if (toText() !== known) change.mark();
      const names = new Set([...before.keys(), ...deprecations.keys()]);
      return [...names].filter((name) => JSON.stringify(before.get(name)) !== JSON.stringify(deprecations.get(name)));
    },
    read: ({ definition, held }: Pick<CatalogEntry, "definition" | "held">): ToolFacts => ({
      ...readFacts(definition),
      approval: approvals.of(definition),
      owner: owners.get(definition.name) ?? null,
      held: held !== undefined && refusesCalls(held) ? held.status : null,
    }),
    /** Warnings of facts that name other tools: a successor may be renamed or deleted later. */
    listNotes(definition: ToolDefinition): QualityNote[] {
      const successor = readDeprecation(definition)?.successor ?? null;
      if (successor === null || isKnown(successor)) return [];
      const message = `The successor '${successor}' is not in the catalog: models are sent to a tool that does not exist`;
      return [{ code: "successor_missing", severity: "warning", message }];
    },
    /** Replaced, never changed. */
    get owners(): ReadonlyMap<string, Actor> {
      return owners;
    },
    isDeprecatedHere: (name: string): boolean => deprecations.has(name),
    getLens: (name: string): ToolLens | null => lenses.get(name) ?? null,
    /** The definition of a tool that is not the console's own, with what was set here. */
    applyTo(definition: ToolDefinition): ToolDefinition {
      const deprecated = deprecations.get(definition.name);
      return deprecated === undefined ? definition : { ...definition, deprecated };
    },
  };
}

interface FactEditPorts {
  catalog: Catalog;
  store: ToolFactStore;
  facts: KnownFacts;
  views: ToolViews;
  edit: Edit;
  /** Gives a tool of the console another definition. */
  replace(change: Change, actor: Actor, before: CatalogEntry, definition: ToolDefinition): Promise<unknown>;
  checkSchema: (schema: JsonSchema) => string | null;
  /** A user with an active account; absent while accounts are off. */
  findUser?: ((id: string) => Promise<Actor | null>) | undefined;
  accounts: boolean;
  /** Returns the problem of a lens's expression; absent: it is not checked. */
  checkLens?: ((expression: string) => string | null) | undefined;
  clock: Clock;
}

/** Edits the facts of tools of any origin: owners, deprecations, and each user's favorites. */
export function createFactEdits(ports: FactEditPorts) {
  const { catalog, store, facts, views, edit, replace } = ports;

  /** @throws AppError for a successor that is unknown, or that leads back here */
  function checkSuccessor(name: string, successor: string): void {
    let next: string | null = successor;
    for (let step = 0; next !== null && step < MAX_SUCCESSORS; step += 1) {
      if (next === name) {
        const message = step === 0 ? "must be another tool" : `'${successor}' is deprecated in favor of '${name}'`;
        throw invalidInput("The deprecation is invalid: ", [{ path: "successor", message }]);
      }
      const entry: CatalogEntry | undefined = catalog.entries.get(next);
      if (entry === undefined && step === 0) {
        const message = `'${successor}' is not in the catalog: choose another tool`;
        throw invalidInput("The deprecation is invalid: ", [{ path: "successor", message }]);
      }
      next = entry === undefined ? null : (readDeprecation(entry.definition)?.successor ?? null);
    }
  }

  async function deprecateElsewhere(
    change: Change,
    actor: Actor,
    entry: CatalogEntry,
    key: DeprecatedKey | undefined,
  ): Promise<void> {
    const original = entry.original ?? entry.definition;
    const { name } = original;
    if (key === undefined && readDeprecation(original) !== null && !facts.isDeprecatedHere(name)) {
      throw new AppError("READ_ONLY", `Tool '${name}' is deprecated by ${whereFrom(entry)}: change it there`);
    }
    const definition = key === undefined ? original : { ...original, deprecated: key };
    await store.setDeprecation(key, { definition, by: actor });
    await facts.load(change);
    catalog.refresh(change, name);
  }

  return {
    /** @param deprecation null: the tool is no longer deprecated */
    setDeprecation: (actor: Actor, name: string, deprecation: Deprecation | null): Promise<ToolSummary> =>
      edit(async (change) => {
        const entry = catalog.find(name);
        if (deprecation?.successor != null) checkSuccessor(name, deprecation.successor);
        const key = deprecation === null ? undefined : toDeprecatedKey(deprecation);
        if (entry.origin === "console") {
          const { deprecated: _before, ...rest } = entry.definition;
          const definition = (key === undefined ? rest : { ...rest, deprecated: key }) as ToolDefinition;
          const faults = checkDefinition(definition, ports.checkSchema);
          if (faults.length > 0) throw invalidInput("The definition is invalid: ", faults);
          await replace(change, actor, entry, definition);
        } else await deprecateElsewhere(change, actor, entry, key);
        return views.summarise(catalog.find(name));
      }),

    /** @param ownerId null removes the owner */
    setOwner: (_actor: Actor, name: string, ownerId: string | null): Promise<ToolSummary> =>
      edit(async (change) => {
        catalog.find(name);
        const owner = ownerId === null ? null : ((await ports.findUser?.(ownerId)) ?? null);
        if (ownerId !== null && owner === null) {
          const message = ports.accounts
            ? "ownerId: this user has no active account: choose another"
            : "ownerId: without accounts there is one user: switch accounts on under Settings → People";
          throw new AppError("INVALID", message);
        }
        await store.setOwner(name, owner);
        await facts.load(change);
        return views.summarise(catalog.find(name));
      }),

    /** @param expression null: models and clients get results whole. @throws AppError INVALID for one that is no JMESPath */
    setLens: (actor: Actor, name: string, expression: string | null): Promise<ToolDetail> =>
      edit(async (change) => {
        catalog.find(name);
        const problem = expression === null ? null : (ports.checkLens?.(expression) ?? null);
        if (problem !== null) throw invalidInput("The lens is invalid: ", [{ path: "expression", message: problem }]);
        const updatedAt = ports.clock.now();
        await store.setLens(name, expression === null ? null : { expression, updatedAt, by: actor });
        await facts.load(change);
        return views.detail(catalog.find(name));
      }),

    favorites: (actor: Actor): Promise<string[]> => store.favorites(actor.id),

    async setFavorite(actor: Actor, name: string, favorite: boolean): Promise<void> {
      if (favorite) catalog.find(name);
      await store.setFavorite(actor.id, name, favorite);
    },
  };
}
