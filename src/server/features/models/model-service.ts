import type {
  ModelChoice,
  ModelPrice,
  ModelProviderInput,
  ModelProviderSummary,
  ModelVerdict,
} from "../../../lib/contract";
import { messageOf } from "../../../lib/message-of";
import { AppError } from "../../app-error";
import type { ChatClient, ModelConnection, ModelConnectionSettings, ModelDirectory } from "../../engine/chat-ports";
import type { Clock, Logger } from "../../engine/ports";
import { createTurns } from "../../in-turn";
import { nameTaken, takeName } from "../../taken-names";
import { type ProviderTest, shown, testConnection } from "./ask-provider";
import { createAvailableModels, type ListedModels } from "./available-models";
import { acceptProvider } from "./check-provider-input";
import {
  demoProvider,
  environmentProviders,
  type KnownProvider,
  providerOfRow,
  toProviderSummary,
  type Variables,
} from "./known-provider";
import type { ModelProviderStore, StoredProvider } from "./model-provider-store";
import { VENDOR_FACTS } from "./vendor-facts";

/** The newest finished check of a model. */
export interface ModelVerdictRow {
  provider: string;
  model: string;
  verdict: ModelVerdict;
}

export interface ModelServicePorts {
  store: ModelProviderStore;
  createConnection: (settings: ModelConnectionSettings) => ModelConnection;
  /** The environment's. */
  variables: Variables;
  verdicts: () => Promise<readonly ModelVerdictRow[]>;
  clock: Clock;
  logger: Logger;
  /** Providers or what they list changed. */
  onChange: () => void;
  /** How long a vendor has to list its models; 10 s when absent. */
  listLimitMs?: number;
}

/** A provider lists hundreds; the picker shows what is configured, then these. */
const MAX_LISTED_CHOICES = 100;

/** Where models are asked: providers of console and environment, and the demo model. Call `load` first. */
export function createModelService(ports: ModelServicePorts) {
  const { store, clock } = ports;
  const available = createAvailableModels({ clock, ...(ports.listLimitMs ? { limitMs: ports.listLimitMs } : {}) });
  const inTurn = createTurns();
  const fixed = new Map([...environmentProviders(ports.variables), demoProvider()].map((known) => [known.name, known]));
  const stored = new Map<string, KnownProvider>();

  /** Stored ones first, the demo model last. A stored one hides the environment's of its name. */
  const all = (): KnownProvider[] => [
    ...stored.values(),
    ...[...fixed.values()].filter(({ name, origin }) => origin === "built-in" || !stored.has(name)),
  ];

  function find(name: string): KnownProvider {
    const provider = fixed.get(name)?.origin === "built-in" ? fixed.get(name) : (stored.get(name) ?? fixed.get(name));
    if (provider === undefined) throw new AppError("NOT_FOUND", `Model provider '${name}' not found`);
    return provider;
  }

  function findEditable(name: string): KnownProvider {
    const provider = find(name);
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

  function connect(provider: KnownProvider): ModelConnection {
    if (provider.problem !== null) {
      throw new AppError("INVALID", `Model provider '${provider.name}' cannot be used: ${provider.problem}`);
    }
    const { kind, apiKey, baseUrl } = provider;
    provider.connection ??= ports.createConnection({ kind, apiKey, baseUrl });
    return provider.connection;
  }

  async function write(name: string, work: () => Promise<StoredProvider>): Promise<ModelProviderSummary> {
    const provider = providerOfRow(await takeName(name, "model provider", work), ports.variables);
    stored.set(provider.name, provider);
    ports.onChange();
    return toProviderSummary(provider);
  }

  function refuseTaken(name: string): void {
    if (stored.has(name) || fixed.get(name)?.origin === "built-in") throw nameTaken(name, "model provider");
  }

  /** Models to choose from without waiting for anybody. */
  function choicesOf(provider: KnownProvider): string[] {
    if (provider.problem !== null) return [];
    const connection = connect(provider);
    const listed = available.known(connection);
    if (provider.models.length === 0 && available.isDue(connection)) {
      void available.list(connection).then(({ models }) => {
        if (models.length > 0) ports.onChange();
      });
    }
    const { firstModel } = VENDOR_FACTS[provider.kind];
    const configured = provider.models.length > 0 || firstModel === null ? provider.models : [firstModel];
    const first = listed.length > 0 && provider.models.length === 0 ? firstOf(listed, firstModel) : configured;
    return [...new Set([...first, ...listed.slice(0, MAX_LISTED_CHOICES)])];
  }

  async function newestVerdicts(): Promise<Map<string, ModelVerdict>> {
    try {
      const rows = await ports.verdicts();
      return new Map(rows.map(({ provider, model, verdict }) => [pairKey(provider, model), verdict]));
    } catch (error) {
      ports.logger.error({ error: messageOf(error) }, "The results of model checks could not be read");
      return new Map();
    }
  }

  const directory: ModelDirectory = {
    client: async (name): Promise<ChatClient> => connect(find(name)),
    endpoint(name: string): string {
      const { kind, baseUrl } = find(name);
      return `${kind} ${baseUrl ?? ""}`.trim();
    },

    price(name, model): ModelPrice | null {
      const provider = stored.get(name) ?? fixed.get(name);
      return provider?.prices.find((price) => price.model === model) ?? null;
    },
  };

  return {
    ...directory,

    /** Reads the stored providers. */
    async load(): Promise<void> {
      for (const row of await store.list()) {
        if (fixed.get(row.name)?.origin !== "built-in") stored.set(row.name, providerOfRow(row, ports.variables));
      }
    },

    providers: () => ({ items: all().map(toProviderSummary) }),

    createProvider: (input: ModelProviderInput): Promise<ModelProviderSummary> =>
      inTurn(async () => {
        const { settings, key } = acceptProvider(input, null);
        refuseTaken(settings.name);
        return write(settings.name, () => store.create(settings, key ?? null));
      }),

    updateProvider: (name: string, input: ModelProviderInput): Promise<ModelProviderSummary> =>
      inTurn(async () => {
        const before = findEditable(name);
        const { settings, key } = acceptProvider(input, before);
        if (settings.name === name) return write(name, () => store.update(name, settings, key));
        refuseTaken(settings.name);
        // A sealed key is bound to its provider's name: it is sealed again under the new one.
        const moved = key === undefined && before.key.state === "stored" ? before.apiKey : key;
        return write(settings.name, async () => {
          const row = await store.update(name, settings, moved);
          stored.delete(name);
          return row;
        });
      }),

    deleteProvider: (name: string): Promise<{ name: string }> =>
      inTurn(async () => {
        findEditable(name);
        await store.delete(name);
        stored.delete(name);
        ports.onChange();
        return { name };
      }),

    async testProvider(name: string): Promise<ProviderTest> {
      const provider = find(name);
      if (provider.problem !== null) return { ok: false, message: provider.problem, models: [] };
      const connection = connect(provider);
      return testConnection(provider, connection, () => available.list(connection, { anew: true }));
    },

    /** What the picker offers, without asking anybody; vendors without configured models are asked behind it. */
    async choices(): Promise<{ items: ModelChoice[] }> {
      const verdicts = await newestVerdicts();
      const items = all().flatMap((provider) =>
        choicesOf(provider).map((model) => {
          const check = verdicts.get(pairKey(provider.name, model)) ?? null;
          return { provider: provider.name, model, kind: provider.kind, check };
        }),
      );
      return { items };
    },

    /** What the vendor lists, with what is configured first. */
    async available(name: string): Promise<ListedModels> {
      const provider = find(name);
      if (provider.problem !== null) return { models: [...provider.models], problem: provider.problem };
      const { models, problem } = await available.list(connect(provider));
      const shownProblem = problem === null ? null : shown(problem, provider);
      return { models: [...new Set([...provider.models, ...models])], problem: shownProblem };
    },
  };
}

function firstOf(listed: readonly string[], firstModel: string | null): string[] {
  return firstModel !== null && listed.includes(firstModel) ? [firstModel] : [];
}

function pairKey(provider: string, model: string): string {
  return JSON.stringify([provider, model]);
}
