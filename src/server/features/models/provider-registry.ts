import type { ModelConnection, ModelConnectionSettings, ModelDirectory } from "../../engine/agent/chat-ports";
import type { Change } from "../../platform/shared/announced-edits";
import { AppError } from "../../platform/shared/app-error";
import { nameConflict } from "../../platform/shared/name-conflict";
import {
  demoProvider,
  environmentProviders,
  type KnownProvider,
  providerOfRow,
  type Variables,
} from "./known-provider";
import type { ModelProviderStore, StoredProvider } from "./model-provider-store";
import { publicAddress } from "./provider-address";
import { VENDOR_FACTS } from "./vendor-facts";

export interface ProviderRegistryPorts {
  store: ModelProviderStore;
  createConnection: (settings: ModelConnectionSettings) => ModelConnection;
  /** The environment variables. */
  variables: Variables;
  /** Receives every key. */
  onSecret?: ((key: string | null) => void) | undefined;
}

export type ProviderRegistry = ReturnType<typeof createProviderRegistry>;

/** The providers in memory: those of console and environment, and the demo model. Each has one client. */
export function createProviderRegistry(ports: ProviderRegistryPorts) {
  const { store, createConnection, variables, onSecret } = ports;
  const fixed = new Map([...environmentProviders(variables), demoProvider()].map((known) => [known.name, known]));
  for (const { apiKey } of fixed.values()) onSecret?.(apiKey);
  const stored = new Map<string, KnownProvider>();
  const isBuiltIn = (name: string): boolean => fixed.get(name)?.origin === "built-in";

  function find(name: string): KnownProvider {
    const provider = isBuiltIn(name) ? fixed.get(name) : (stored.get(name) ?? fixed.get(name));
    if (provider === undefined) throw new AppError("NOT_FOUND", `Model provider '${name}' not found`);
    return provider;
  }

  function connect(provider: KnownProvider): ModelConnection {
    if (provider.problem !== null) {
      throw new AppError("INVALID", `Model provider '${provider.name}' cannot be used: ${provider.problem}`);
    }
    const { kind, apiKey, baseUrl } = provider;
    provider.connection ??= createConnection({ kind, apiKey, baseUrl });
    return provider.connection;
  }

  const directory: ModelDirectory = {
    client: async (name) => connect(find(name)),
    endpoint(name) {
      const { kind, baseUrl } = find(name);
      return baseUrl === null ? kind : `${kind} ${publicAddress(baseUrl)}`;
    },
    maxTools: (name) => VENDOR_FACTS[find(name).kind].maxTools,
    price(name, model) {
      const provider = stored.get(name) ?? fixed.get(name);
      return provider?.prices.find((price) => price.model === model) ?? null;
    },
  };

  return {
    directory,
    find,
    connect,

    /** Stored ones first, the demo model last. A stored one hides the environment's of its name. */
    all: (): KnownProvider[] => [
      ...stored.values(),
      ...[...fixed.values()].filter(({ name, origin }) => origin === "built-in" || !stored.has(name)),
    ],

    /** Reads the stored providers. Those that did not change keep their client. */
    async load(): Promise<void> {
      const rows = await store.list();
      const before = new Map(stored);
      stored.clear();
      for (const row of rows) {
        if (isBuiltIn(row.name)) continue;
        const provider = providerOfRow(row, variables);
        onSecret?.(provider.apiKey);
        const known = before.get(row.name);
        stored.set(row.name, known !== undefined && isSameProvider(known, provider) ? known : provider);
      }
    },

    /** @throws AppError for a name that a stored provider or the demo model has */
    refuseTaken(name: string): void {
      if (stored.has(name) || isBuiltIn(name)) throw nameConflict("model provider", name);
    },

    put(change: Change, row: StoredProvider): KnownProvider {
      const provider = providerOfRow(row, variables);
      onSecret?.(provider.apiKey);
      stored.set(provider.name, provider);
      change.mark();
      return provider;
    },

    remove(change: Change, name: string): void {
      stored.delete(name);
      change.mark();
    },
  };
}

function isSameProvider(one: KnownProvider, other: KnownProvider): boolean {
  const formatSettings = (provider: KnownProvider): string => JSON.stringify({ ...provider, connection: null });
  return formatSettings(one) === formatSettings(other);
}
