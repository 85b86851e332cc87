import type { Actor } from "../../../lib/contract/actor";
import type { ModelProviderInput, ModelProviderSummary } from "../../../lib/contract/model";
import type { Problem } from "../../../lib/contract/problem";
import type { Edit } from "../../platform/shared/announced-edits";
import { AppError, invalidInput } from "../../platform/shared/app-error";
import { isHttpAddress, type KnownProvider, toProviderSummary } from "./known-provider";
import type { ModelProviderStore, ProviderSettings } from "./model-provider-store";
import type { ProviderRegistry } from "./provider-registry";
import { getOrigin, VENDOR_FACTS } from "./vendor-facts";

export interface ProviderEditPorts {
  registry: ProviderRegistry;
  store: ModelProviderStore;
  edit: Edit;
}

/** Creates, changes and deletes providers of the console; one at a time. */
export function createProviderEdits({ registry, store, edit }: ProviderEditPorts) {
  function findEditable(name: string): KnownProvider {
    const provider = registry.find(name);
    if (provider.origin === "built-in") {
      throw new AppError("READ_ONLY", `Model provider '${name}' is built in and cannot be changed`);
    }
    if (provider.origin === "environment") {
      const { keyVariables, addressVariable } = VENDOR_FACTS[provider.kind];
      const variable = provider.key.variable ?? addressVariable ?? keyVariables[0];
      throw new AppError(
        "READ_ONLY",
        `Model provider '${name}' comes from the environment variable ${variable}: change it there, or make one of that name here`,
      );
    }
    return provider;
  }

  return {
    createProvider: (actor: Actor, input: ModelProviderInput): Promise<ModelProviderSummary> =>
      edit(async (change) => {
        const { settings, key } = acceptProvider(input, null);
        registry.refuseTaken(settings.name);
        return toProviderSummary(registry.put(change, await store.create(settings, key ?? null, actor)));
      }),

    /** @param revision the revision that the user saw; absent: overwrites any */
    updateProvider: (
      actor: Actor,
      name: string,
      input: ModelProviderInput,
      revision?: number,
    ): Promise<ModelProviderSummary> =>
      edit(async (change) => {
        const by = { by: actor, revision };
        const before = findEditable(name);
        const { settings, key } = acceptProvider(input, before);
        if (settings.name === name) {
          return toProviderSummary(registry.put(change, await store.update(name, settings, key, by)));
        }
        registry.refuseTaken(settings.name);
        // A sealed key is bound to its provider's name: it is sealed again under the new one.
        const moved = key === undefined && before.key.state === "stored" ? before.apiKey : key;
        const row = await store.update(name, settings, moved, by);
        registry.remove(change, name);
        return toProviderSummary(registry.put(change, row));
      }),

    deleteProvider: (_actor: Actor, name: string, revision?: number): Promise<{ name: string }> =>
      edit(async (change) => {
        findEditable(name);
        await store.delete(name, revision);
        registry.remove(change, name);
        return { name };
      }),
  };
}

interface AcceptedProvider {
  settings: ProviderSettings;
  /** Undefined keeps the stored key. */
  key: string | null | undefined;
}

/**
 * @param before the stored provider that these settings replace; null for a new one
 * @throws AppError that lists every problem with its field
 */
function acceptProvider(input: ModelProviderInput, before: KnownProvider | null): AcceptedProvider {
  const baseUrl = input.baseUrl?.trim().replace(/\/+$/, "") || null;
  const settings = { name: input.name, kind: input.kind, baseUrl, models: unique(input.models), prices: input.prices };
  const key = input.apiKey === undefined || input.apiKey === null ? undefined : input.apiKey.trim() || null;
  const problems = [...addressProblems(settings), ...priceProblems(settings), ...keyProblems(settings, key, before)];
  if (problems.length > 0) throw invalidInput("The settings are invalid: ", problems);
  return { settings, key: before === null ? (key ?? null) : key };
}

function addressProblems({ kind, baseUrl }: ProviderSettings): Problem[] {
  const problem = (message: string): Problem[] => [{ path: "baseUrl", message }];
  if (baseUrl === null) {
    return VENDOR_FACTS[kind].address === null ? problem("is required: this kind has no default address") : [];
  }
  if (!isHttpAddress(baseUrl)) return problem("must be an http or https URL without a user name or password");
  return /[?#]/.test(baseUrl)
    ? problem("must not have a query or fragment: it is not part of requests. Put a key in apiKey")
    : [];
}

function priceProblems({ prices }: ProviderSettings): Problem[] {
  return prices.flatMap(({ model }, at) =>
    prices.findIndex((other) => other.model === model) < at
      ? [{ path: `prices[${at}].model`, message: `'${model}' is listed twice` }]
      : [],
  );
}

/** A stored key belongs to the address it was given for: it is not sent to another one. */
function keyProblems(
  settings: ProviderSettings,
  key: string | null | undefined,
  before: KnownProvider | null,
): Problem[] {
  const problem = (message: string): Problem[] => [{ path: "apiKey", message }];
  // The characters that a header allows; the text itself is never repeated.
  if (key && /[^\x21-\x7e]/.test(key)) return problem("must be one line of visible ASCII characters without spaces");
  const stored = before !== null && (before.key.state === "stored" || before.key.state === "unreadable");
  if (key !== undefined || !stored) return [];
  const former = getOrigin(before.kind, before.baseUrl);
  const wanted = getOrigin(settings.kind, settings.baseUrl);
  if (former === wanted) return [];
  return problem(`is required again: the stored one was given for ${former}, and baseUrl now leads to ${wanted}`);
}

const unique = (models: readonly string[]): string[] => [...new Set(models)];
