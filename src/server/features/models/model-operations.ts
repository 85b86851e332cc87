import { z } from "zod";
import {
  listedModelsSchema,
  modelChoiceSchema,
  modelProviderInputSchema,
  modelProviderSummarySchema,
  providerTestSchema,
} from "../../../lib/contract/model";
import { act, operations, read } from "../../platform/api/operation";
import { revision } from "../../platform/api/revision-input";

const name = z.string().min(1).max(100);
const byName = z.object({ name });
const provider = modelProviderInputSchema;
const toTarget = (given: string) => ({ kind: "model provider", name: given });

export const modelOperations = operations("models", {
  choices: read({
    rest: "GET /models",
    summary: "List the models that a run can use, as far as their providers have said",
    allow: "read",
    output: z.object({ items: z.array(modelChoiceSchema) }),
    run: ({ services }) => services.models.choices(),
  }),
  providers: read({
    rest: "GET /models/providers",
    summary: "List the model providers; only admins see more of an address than its origin",
    allow: "read",
    output: z.object({ items: z.array(modelProviderSummarySchema) }),
    run: ({ services }) => services.models.providers(),
  }),
  provider: read({
    rest: "GET /models/providers/{name}",
    summary: "Get a model provider, without its key",
    allow: "read",
    input: byName,
    output: modelProviderSummarySchema,
    versioned: true,
    run: ({ services }, input) => services.models.provider(input.name),
  }),
  available: read({
    rest: "GET /models/providers/{provider}/models",
    summary: "Ask a provider for its list of models; configured ones come first",
    allow: "run",
    input: z.object({ provider: name }),
    output: listedModelsSchema,
    run: ({ services, actor }, input) => services.models.available(actor, input.provider),
  }),
  createProvider: act({
    rest: "POST /models/providers",
    summary: "Create a model provider. Its key is stored encrypted, and returned by no request",
    allow: "administer",
    input: z.object({ provider }),
    body: "provider",
    output: modelProviderSummarySchema,
    status: 201,
    versioned: true,
    audit: {
      target: (input) => toTarget(input.provider.name),
      after: (made, input, { models }) => models.toState(made.name, input.provider),
    },
    run: ({ services, actor }, input) => services.models.createProvider(actor, input.provider),
  }),
  updateProvider: act({
    rest: "PUT /models/providers/{name}",
    summary: "Replace a model provider. Without apiKey it keeps its key, as long as the address is of the same origin",
    allow: "administer",
    input: z.object({ name, provider, revision }),
    body: "provider",
    output: modelProviderSummarySchema,
    versioned: ({ models }, input) => models.provider(input.name).lastEdit,
    audit: {
      target: (input, made) => toTarget(made?.name ?? input.name),
      state: ({ models }, input) => models.toState(input.name),
      after: (made, input, { models }) => models.toState(made.name, input.provider),
    },
    run: ({ services, actor }, input) =>
      services.models.updateProvider(actor, input.name, input.provider, input.revision),
  }),
  deleteProvider: act({
    rest: "DELETE /models/providers/{name}",
    summary: "Delete a model provider with its key",
    allow: "administer",
    input: z.object({ name, revision }),
    versioned: ({ models }, input) => models.provider(input.name).lastEdit,
    audit: {
      target: (input) => toTarget(input.name),
      state: ({ models }, input) => models.toState(input.name),
    },
    run: ({ services, actor }, input) => services.models.deleteProvider(actor, input.name, input.revision),
  }),
  testProvider: act({
    rest: "POST /models/providers/{name}/test",
    summary: "Ask a provider for its models, or one of its models for a word, and say whether it answers",
    allow: "administer",
    input: byName,
    output: providerTestSchema,
    audit: { unrecorded: "It changes nothing" },
    run: ({ services, actor }, input) => services.models.testProvider(actor, input.name),
  }),
});
