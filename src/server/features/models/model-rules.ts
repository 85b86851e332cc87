import type { ModelProviderInput } from "../../../lib/contract/model";
import { byName, type MethodRules, READS } from "../../platform/shared/method-rules";
import type { createModelService } from "./model-service";

type ModelService = ReturnType<typeof createModelService>;

const target = byName("model provider");

export function createModelRules(models: ModelService): MethodRules<ModelService> {
  /** @param input of a change, which tells whether it sets a key */
  function toState(name: string, input?: ModelProviderInput) {
    const found = models.providers().items.find((each) => each.name === name);
    if (found === undefined) return null;
    const { problem: _problem, ...state } = found;
    return input?.apiKey == null ? state : { ...state, keyReplaced: true };
  }
  return {
    available: { permission: "run", ...READS },
    createProvider: {
      permission: "administer",
      target: ([{ name }]) => target([name]),
      after: ([input], made) => toState(made.name, input),
    },
    updateProvider: {
      permission: "administer",
      target: ([name], made) => target([made?.name ?? name]),
      state: ([name]) => toState(name),
      after: ([, input], made) => toState(made.name, input),
    },
    deleteProvider: { permission: "administer", target, state: ([name]) => toState(name) },
    testProvider: { permission: "administer", ...READS },
  };
}
