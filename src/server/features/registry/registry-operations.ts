import { z } from "zod";
import { type RegistrySettings, registrySettingsSchema, registryStateSchema } from "../../../lib/contract/registry";
import { rowNumber } from "../../../lib/contract/row-number";
import { act, operations, read } from "../../platform/api/operation";
import { readOrigin } from "../../platform/api/read-origin";

const origin = z.url().max(300);

/** `toolroom registry` is a command of its own: it has no words behind the noun. */
export const registryOperations = operations("registry", {
  get: read({
    rest: "GET /registry",
    summary: "Get the settings of the registry at /v0.1/servers, and its entries",
    allow: "read",
    input: z.object({ origin }),
    sentAs: { toInput: (context) => ({ origin: readOrigin(context) }) },
    output: registryStateSchema,
    run: ({ services, principal }, input) => services.registry.get(principal, input.origin),
  }),
  save: act({
    rest: "PUT /registry",
    summary: "Replace the settings of the registry",
    allow: "administer",
    input: z.object({ origin, settings: registrySettingsSchema, revision: rowNumber.optional() }),
    sentAs: {
      body: registrySettingsSchema,
      toInput: (context, settings: RegistrySettings) => ({ settings, origin: readOrigin(context) }),
    },
    output: registryStateSchema,
    audit: {
      target: () => ({ kind: "registry", name: "registry" }),
      state: async ({ registry }, input, _result, by) => (await registry.get(by, input.origin)).settings,
    },
    run: ({ services, principal }, input) =>
      services.registry.save(principal, input.settings, input.origin, input.revision),
  }),
});
