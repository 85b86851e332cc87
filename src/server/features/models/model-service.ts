import type { Actor } from "../../../lib/contract/actor";
import type { ModelChoice } from "../../../lib/contract/model";
import type { ModelDirectory } from "../../engine/agent/chat-ports";
import type { Clock, Logger } from "../../engine/ports";
import { type ChangeOrigin, createEdits } from "../../platform/shared/announced-edits";
import { type ProviderTest, shown, testConnection } from "./ask-provider";
import { createAvailableModels, type ListedModels } from "./available-models";
import { toProviderSummary } from "./known-provider";
import { listChoices, type ModelVerdictRow } from "./model-choices";
import { createProviderEdits } from "./provider-edits";
import { createProviderRegistry, type ProviderRegistryPorts } from "./provider-registry";

export interface ModelServicePorts extends ProviderRegistryPorts {
  verdicts: () => Promise<readonly ModelVerdictRow[]>;
  clock: Clock;
  logger: Logger;
  /** Traces the requests of the clients that it gives out; absent where telemetry is off. */
  traceClient?: ((directory: ModelDirectory) => ModelDirectory["client"]) | undefined;
  /** Providers or what they list changed. */
  onChange: (origin: ChangeOrigin) => void;
  /** How long a vendor has to list its models; 10 s when absent. */
  listLimitMs?: number;
}

/** Model providers and their models. Call `load` first. */
export function createModelService(ports: ModelServicePorts) {
  const { store, clock, verdicts, logger } = ports;
  const { edit, editAtOnce, follow } = createEdits(ports.onChange);
  const available = createAvailableModels({ clock, editAtOnce, limitMs: ports.listLimitMs });
  const registry = createProviderRegistry(ports);
  const { find, connect } = registry;

  return {
    ...registry.directory,
    client: ports.traceClient?.(registry.directory) ?? registry.directory.client,
    ...createProviderEdits({ registry, store, edit }),
    load: registry.load,
    /** Loads what another copy of the server changed and announces. */
    follow: (): Promise<void> => follow(registry.load),

    /** Whether messages to this provider may hold media of this type. @throws AppError like `client` */
    acceptsMedia: (provider: string, mimeType: string): boolean => connect(find(provider)).acceptsMedia(mimeType),

    providers: () => ({ items: registry.all().map(toProviderSummary) }),

    async testProvider(_actor: Actor, name: string): Promise<ProviderTest> {
      const provider = find(name);
      if (provider.problem !== null) return { ok: false, message: provider.problem, models: [] };
      const connection = connect(provider);
      return testConnection(provider, connection, () => available.list(connection, { refresh: true }));
    },

    /** The models of the picker, without waiting for a vendor. */
    choices: (): Promise<{ items: ModelChoice[] }> => listChoices({ registry, available, verdicts, logger }),

    /** The vendor's list of models, with the configured ones first. */
    async available(_actor: Actor, name: string): Promise<ListedModels> {
      const provider = find(name);
      if (provider.problem !== null) return { models: [...provider.models], problem: provider.problem };
      const { models, problem } = await available.list(connect(provider));
      const shownProblem = problem === null ? null : shown(problem, provider);
      return { models: [...new Set([...provider.models, ...models])], problem: shownProblem };
    },
  };
}
