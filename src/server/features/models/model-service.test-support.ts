import { type ModelProviderInput, modelProviderInputSchema } from "../../../lib/contract/model";
import type { ModelConnection, ModelConnectionSettings } from "../../engine/agent/chat-ports";
import { ScriptedClient } from "../../models/scripted-client.test-support";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../platform/db/database.test-support";
import type { SecretBox } from "../servers/server-store";
import { createModelProviderStore } from "./db/model-provider-store";
import type { ModelProviderStore } from "./model-provider-store";
import { createModelService, type ModelServicePorts } from "./model-service";

/** Binds a text to its place, as the real one does; what it seals is not fit for a secret. */
export const testSecretBox: SecretBox = {
  seal: (plain, context) => JSON.stringify([context, [...plain].reverse().join("")]),
  open(sealed, context) {
    const [place, text] = JSON.parse(sealed) as [string, string];
    if (place !== context) throw new Error("A stored secret belongs to something else: enter it again");
    return [...text].reverse().join("");
  },
};

/** A database and what a model service does with it. */
export class ModelServiceBench {
  elapsed = 0;
  changes = 0;
  made: ModelConnectionSettings[] = [];
  connect: (settings: ModelConnectionSettings) => ModelConnection = listing;
  #scratch: ScratchDatabase | null = null;

  async open(): Promise<void> {
    this.#scratch = await createScratchDatabase();
  }

  async clear(): Promise<void> {
    await this.#scratch?.db.prisma.modelProvider.deleteMany();
    Object.assign(this, { elapsed: 0, changes: 0, made: [], connect: listing });
  }

  close = async (): Promise<void> => this.#scratch?.remove();

  store(secretBox: SecretBox = testSecretBox): ModelProviderStore {
    if (this.#scratch === null) throw new Error("open the bench first");
    return createModelProviderStore({ db: this.#scratch.db, secretBox, clock: this.#clock });
  }

  readonly #clock = { now: () => 1000, elapsed: () => this.elapsed };

  /** As after a start with these variables. */
  async start(variables: Record<string, string | undefined> = {}, more: Partial<ModelServicePorts> = {}) {
    const service = createModelService({
      store: this.store(),
      createConnection: (settings) => {
        this.made.push(settings);
        return this.connect(settings);
      },
      variables,
      clock: this.#clock,
      logger: quietLogger(),
      onChange: () => {
        this.changes += 1;
      },
      ...more,
    });
    await service.load();
    return service;
  }
}

function listing(): ModelConnection {
  return new ScriptedClient([], { models: ["listed-1", "listed-2"] });
}

/** A provider as a form sends it: Anthropic's with a key. */
export function input(more: object = {}): ModelProviderInput {
  return modelProviderInputSchema.parse({ name: "mine", kind: "anthropic", apiKey: "sk-stored", ...more });
}
