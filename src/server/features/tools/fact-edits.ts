import type { Actor } from "../../../lib/contract/actor";
import type { ToolDetail, ToolSummary } from "../../../lib/contract/catalogue-tool";
import type { Deprecation } from "../../../lib/contract/deprecation";
import { readDeprecation, toDeprecatedKey } from "../../../lib/contract/deprecation";
import type { DeprecatedKey, ToolDefinition } from "../../../lib/contract/tool-definition";
import { checkDefinition } from "../../engine/registry/check-definition";
import { AppError, invalidInput } from "../../platform/shared/app-error";
import { type CatalogueEntry, whereFrom } from "./catalogue-entry";
import type { ToolContext } from "./tool-context";

/** More successors in a row than any catalog has. */
const MAX_SUCCESSORS = 20;

/** What people say of tools of any origin: who answers for them, that they are deprecated, and each person's favorites. */
export function createFactEdits(context: ToolContext, { change }: ToolChange) {
  const { catalogue, store, facts, onChange, runExclusive } = context;
  const { views } = context;

  /** @throws AppError for a successor that is unknown, or that leads back here */
  function checkSuccessor(name: string, successor: string): void {
    let next: string | null = successor;
    for (let step = 0; next !== null && step < MAX_SUCCESSORS; step += 1) {
      if (next === name) {
        const message = step === 0 ? "must be another tool" : `'${successor}' is deprecated in favor of '${name}'`;
        throw invalidInput("The deprecation is invalid: ", [{ path: "successor", message }]);
      }
      const entry: CatalogueEntry | undefined = catalogue.entries.get(next);
      if (entry === undefined && step === 0) {
        const message = `'${successor}' is not in the catalog: choose another tool`;
        throw invalidInput("The deprecation is invalid: ", [{ path: "successor", message }]);
      }
      next = entry === undefined ? null : (readDeprecation(entry.definition)?.successor ?? null);
    }
  }

  async function deprecateElsewhere(
    actor: Actor,
    entry: CatalogueEntry,
    key: DeprecatedKey | undefined,
  ): Promise<void> {
    const original = entry.original ?? entry.definition;
    const { name } = original;
    if (key === undefined && readDeprecation(original) !== null && !facts.isDeprecatedHere(name)) {
      throw new AppError("READ_ONLY", `Tool '${name}' is deprecated by ${whereFrom(entry)}: change it there`);
    }
    const definition = key === undefined ? original : { ...original, deprecated: key };
    await store.setDeprecation(key, { definition, by: actor });
    await facts.load();
    catalogue.refresh(name);
    onChange();
  }

  return {
    /** @param deprecation null: the tool is no longer deprecated */
    setDeprecation: (actor: Actor, name: string, deprecation: Deprecation | null): Promise<ToolSummary> =>
      runExclusive(async () => {
        const entry = catalogue.find(name);
        if (deprecation?.successor != null) checkSuccessor(name, deprecation.successor);
        const key = deprecation === null ? undefined : toDeprecatedKey(deprecation);
        if (entry.origin === "console") {
          const { deprecated: _before, ...rest } = entry.definition;
          const definition = (key === undefined ? rest : { ...rest, deprecated: key }) as ToolDefinition;
          const faults = checkDefinition(definition, context.checkSchema);
          if (faults.length > 0) throw invalidInput("The definition is invalid: ", faults);
          await change(actor, entry, definition);
        } else await deprecateElsewhere(actor, entry, key);
        return views.summarise(catalogue.find(name));
      }),

    /** @param ownerId null: nobody */
    setOwner: (_actor: Actor, name: string, ownerId: string | null): Promise<ToolSummary> =>
      runExclusive(async () => {
        catalogue.find(name);
        const owner = ownerId === null ? null : ((await context.findPerson?.(ownerId)) ?? null);
        if (ownerId !== null && owner === null) {
          const message = context.accounts
            ? "ownerId: this person has no active account: choose another"
            : "ownerId: without accounts there is one person: switch accounts on under Settings → People";
          throw new AppError("INVALID", message);
        }
        await store.setOwner(name, owner);
        await facts.load();
        onChange();
        return views.summarise(catalogue.find(name));
      }),

    /** @param expression null: models and clients get results whole. @throws AppError INVALID for one that is no JMESPath */
    setLens: (actor: Actor, name: string, expression: string | null): Promise<ToolDetail> =>
      runExclusive(async () => {
        catalogue.find(name);
        const problem = expression === null ? null : (context.checkLens?.(expression) ?? null);
        if (problem !== null) throw invalidInput("The lens is invalid: ", [{ path: "expression", message: problem }]);
        const updatedAt = context.clock.now();
        await store.setLens(name, expression === null ? null : { expression, updatedAt, by: actor });
        await facts.load();
        onChange();
        return views.detail(catalogue.find(name));
      }),

    /** The names of the actor's favorites. */
    favorites: (actor: Actor): Promise<string[]> => store.favorites(actor.id),

    async setFavorite(actor: Actor, name: string, favorite: boolean): Promise<void> {
      if (favorite) catalogue.find(name);
      await store.setFavorite(actor.id, name, favorite);
    },
  };
}

interface ToolChange {
  change(actor: Actor, before: CatalogueEntry, definition: ToolDefinition): Promise<unknown>;
}
