import { computeCost, countUsage } from "../../../lib/run/usage";
import type { ChatClient, ModelCaller, ModelDirectory } from "../../engine/agent/chat-ports";
import { type ModelBudget, type ModelSpender, withModelBudget } from "../../engine/agent/model-budget";
import type { SpendStore } from "./spend-store";

interface CountedModelPorts {
  models: Pick<ModelDirectory, "client" | "price">;
  budget: ModelBudget;
  spend: Pick<SpendStore, "addModelCall">;
  now: () => number;
}

/** A model, and the caller that uses it. */
export interface CountedModel {
  provider: string;
  model: string;
  spender: Omit<ModelSpender, "runId">;
  /** Names the call of the model in traces. */
  caller?: ModelCaller | undefined;
}

/** @throws AppError NOT_FOUND for an unknown provider, INVALID for one without its key */
export type OpenCountedModel = (request: CountedModel) => Promise<ChatClient>;

/**
 * Opens clients of models for work that is no run, such as evals and sampling: limits of dollars refuse their requests,
 * and each response with a price is added to the spend of its day before the caller gets it.
 */
export function createCountedModels({ models, budget, spend, now }: CountedModelPorts): OpenCountedModel {
  return async ({ provider, model, spender, caller }) => {
    const client = await models.client(provider, caller);
    const { actor } = spender;
    const counted: ModelBudget = {
      findRefusal: budget.findRefusal,
      async charge(of, cost) {
        await spend.addModelCall({ actor, model: `${provider}/${model}`, cost, at: now() });
        await budget.charge(of, cost);
      },
    };
    return withModelBudget(client, counted, { ...spender, runId: null }, (usage) => {
      const price = models.price(provider, model);
      return price === null ? null : computeCost(countUsage(usage), price);
    });
  };
}
