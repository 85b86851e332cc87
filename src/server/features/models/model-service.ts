import type { Actor } from "../../../lib/contract/actor";
import { readMessageText } from "../../../lib/contract/chat";
import type {
  ListedModels,
  ModelChoice,
  ModelProviderInput,
  ModelProviderSummary,
  ProviderTest,
} from "../../../lib/contract/model";
import { getMessage } from "../../../lib/get-message";
import type { ModelConnection, ModelDirectory } from "../../engine/agent/chat-ports";
import type { Clock, Logger } from "../../engine/ports";
import { type ChangeOrigin, createEdits } from "../../platform/shared/announced-edits";
import { withinLimit } from "../../platform/shared/within-limit";
import { type AvailableModels, createAvailableModels } from "./available-models";
import { type KnownProvider, toProviderSummary } from "./known-provider";
import { createProviderEdits } from "./provider-edits";
import { createProviderRegistry, type ProviderRegistry, type ProviderRegistryPorts } from "./provider-registry";
import { VENDOR_FACTS } from "./vendor-facts";

/** The limit of listed models: the picker shows the configured ones, then these. */
const MAX_LISTED_CHOICES = 100;

const ANSWER_LIMIT_MS = 30_000;
/** Models that think first need space before their text begins. */
const MAX_OUTPUT_TOKENS = 1024;
const MAX_MESSAGE_CHARS = 600;

export interface ModelServicePorts extends ProviderRegistryPorts {
  clock: Clock;
  logger: Logger;
  /** Traces the requests of the clients that it gives out; absent where telemetry is off. */
  traceClient?: ((directory: ModelDirectory) => ModelDirectory["client"]) | undefined;
  /** Called when providers or their lists changed. */
  onChange: (origin: ChangeOrigin) => void;
  /** How long a vendor has to list its models; 10 s when absent. */
  listLimitMs?: number;
}

/** Model providers and their models. Call `load` first. */
export function createModelService(ports: ModelServicePorts) {
  const { store, clock } = ports;
  const { edit, editAtOnce, follow } = createEdits(ports.onChange);
  const available = createAvailableModels({ clock, editAtOnce, limitMs: ports.listLimitMs });
  const registry = createProviderRegistry(ports);
  const { find, connect } = registry;

  return {
    ...registry.directory,
    client: ports.traceClient?.(registry.directory) ?? registry.directory.client,
    ...createProviderEdits({ registry, store, edit }),
    load: registry.load,
    /** Loads what another instance of the server changed and announces. */
    follow: (): Promise<void> => follow(registry.load),

    /** Whether messages to this provider may hold media of this type. @throws AppError like `client` */
    acceptsMedia: (provider: string, mimeType: string): boolean => connect(find(provider)).acceptsMedia(mimeType),

    providers: () => ({ items: registry.all().map(toProviderSummary) }),

    provider: (name: string): ModelProviderSummary => toProviderSummary(find(name)),

    /** For the audit log. @param input of a change, which tells whether it sets a key */
    toState(name: string, input?: ModelProviderInput) {
      const found = registry.all().find((each) => each.name === name);
      if (found === undefined) return null;
      const { problem: _problem, ...state } = toProviderSummary(found);
      return input?.apiKey == null ? state : { ...state, keyReplaced: true };
    },

    async testProvider(_actor: Actor, name: string): Promise<ProviderTest> {
      const provider = find(name);
      if (provider.problem !== null) return { ok: false, message: provider.problem, models: [] };
      const connection = connect(provider);
      return testConnection(provider, connection, () => available.list(connection, { refresh: true }));
    },

    /** The models of the picker, without waiting for a vendor. */
    choices: (): { items: ModelChoice[] } => listChoices({ registry, available }),

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

/** Whether a provider answers: its list of models, or where it has none a word of its first model. */
async function testConnection(
  provider: KnownProvider,
  connection: ModelConnection,
  list: () => Promise<ListedModels>,
): Promise<ProviderTest> {
  const { models, problem } = await list();
  if (models.length > 0) {
    const count = models.length === 1 ? "1 model" : `${models.length} models`;
    return { ok: true, message: `Connected: ${count}`, models };
  }
  const [model] = provider.models;
  if (model === undefined) {
    const message = problem ?? "Connected, but the provider lists no models. Enter model names under Models.";
    return { ok: false, message: shown(message, provider), models: [] };
  }
  try {
    const messages = [
      { role: "user" as const, contents: [{ type: "text" as const, text: "Answer with the word: ready" }] },
    ];
    const options = { model, maxOutputTokens: MAX_OUTPUT_TOKENS };
    const response = await withinLimit(
      (signal) => connection.getResponse(messages, { ...options, signal }),
      ANSWER_LIMIT_MS,
    );
    const said = response.messages.map(readMessageText).join(" ").trim();
    const message = said === "" ? `${model} answers, without a text.` : `${model} answers: “${said.slice(0, 100)}”.`;
    return { ok: true, message: shown(message, provider), models: [] };
  } catch (error) {
    const listing = problem === null ? "" : ` Its list of models: ${problem}`;
    return {
      ok: false,
      message: shown(`${model} does not answer: ${getMessage(error)}${listing}`, provider),
      models: [],
    };
  }
}

/** Removes the key, since a vendor may repeat the text that it received. */
function shown(message: string, { apiKey }: KnownProvider): string {
  const text = apiKey !== null && apiKey.length >= 4 ? message.replaceAll(apiKey, "•••") : message;
  return text.length > MAX_MESSAGE_CHARS ? `${text.slice(0, MAX_MESSAGE_CHARS)}…` : text;
}

interface ModelChoicePorts {
  registry: ProviderRegistry;
  available: AvailableModels;
}

/** The models of the picker. */
function listChoices(ports: ModelChoicePorts): { items: ModelChoice[] } {
  const items = ports.registry.all().flatMap((provider) =>
    listModels(provider, ports).map((model) => {
      const { name, kind } = provider;
      return { provider: name, model, kind, maxTools: VENDOR_FACTS[kind].maxTools };
    }),
  );
  return { items };
}

/** The currently known models. For a provider without configured models, the list is requested in the background. */
function listModels(provider: KnownProvider, { registry, available }: ModelChoicePorts): string[] {
  if (provider.problem !== null) return [];
  const connection = registry.connect(provider);
  const listed = available.known(connection);
  const shown = listed.slice(0, MAX_LISTED_CHOICES);
  if (provider.models.length > 0) return [...new Set([...provider.models, ...shown])];
  if (available.isDue(connection)) void available.list(connection);
  const { firstModel } = VENDOR_FACTS[provider.kind];
  const isOffered = listed.length === 0 || listed.some((model) => model === firstModel);
  return firstModel !== null && isOffered ? [...new Set([firstModel, ...shown])] : shown;
}
