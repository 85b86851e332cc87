import { afterAll, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { systemClock } from "../../create-tool-engine";
import type { Logger } from "../../engine/ports";
import { openai } from "../../models/openai/responses";
import { VendorClient } from "../../models/vendor-client";
import { SETTINGS, scratchDatabases, startLife } from "../runs/run-service.test-support";
import { createModelProviderStore } from "./db/model-provider-store";
import { createModelService } from "./model-service";
import { testSecretBox } from "./model-service.test-support";

const databases = scratchDatabases();
afterAll(() => databases.remove());

describe("a key in a provider's base URL", () => {
  it("is in no event, live event, answer or log line of a run that uses the provider and fails", async () => {
    const scratch = await databases.open();
    const lines: unknown[] = [];
    const log = (fields: object, message: string): void => {
      lines.push(fields, message, (fields as { stack?: unknown; err?: Error }).err?.stack);
    };
    const logger: Logger = { debug: log, info: log, warn: log, error: log };
    const models = createModelService({
      store: createModelProviderStore({ db: scratch.db, secretBox: testSecretBox, clock: systemClock }),
      createConnection: (settings) => new VendorClient(openai, { ...settings, retry: { maxAttempts: 1 } }),
      variables: {
        OPENAI_API_KEY: "sk-planted-one",
        OPENAI_BASE_URL: "http://127.0.0.1:1/v1?key=planted-two#planted-three",
      },
      clock: systemClock,
      logger,
      onChange: () => undefined,
    });
    const { runs, published, runToEnd } = await startLife([], { scratch, ports: { models, logger } });
    const { id, outcome } = await runToEnd("Go", { ...SETTINGS, provider: "openai", model: "gpt" });
    expect(outcome).toMatchObject({
      status: "failed",
      error: expect.stringContaining("The connection to OpenAI failed"),
    });
    const said = [
      outcome,
      published,
      lines,
      models.providers(),
      await models.choices(),
      await models.testProvider(LOCAL_OWNER, "openai"),
      await models.available(LOCAL_OWNER, "openai"),
      await runs.get(id),
      await runs.messages(id, 1, 0),
      await runs.list({}, undefined, 10),
      await scratch.db.prisma.runEvent.findMany({ select: { type: true, body: true } }),
    ];
    expect(JSON.stringify(said)).not.toContain("planted");
  });
});
