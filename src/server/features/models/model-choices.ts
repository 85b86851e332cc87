import type { ModelChoice, ModelVerdict } from "../../../lib/contract/model";
import { getMessage } from "../../../lib/get-message";
import type { Logger } from "../../engine/ports";
import type { AvailableModels } from "./available-models";
import type { KnownProvider } from "./known-provider";
import type { ProviderRegistry } from "./provider-registry";
import { VENDOR_FACTS } from "./vendor-facts";

/** The newest finished check of a model. */
export interface ModelVerdictRow {
  provider: string;
  model: string;
  verdict: ModelVerdict;
}

export interface ModelChoicePorts {
  registry: ProviderRegistry;
  available: AvailableModels;
  verdicts: () => Promise<readonly ModelVerdictRow[]>;
  logger: Logger;
}

/** A provider lists hundreds; the picker shows what is configured, then these. */
const MAX_LISTED_CHOICES = 100;

/** The models of the picker, with the results of their checks. */
export async function listChoices(ports: ModelChoicePorts): Promise<{ items: ModelChoice[] }> {
  const verdicts = await readVerdicts(ports);
  const items = ports.registry.all().flatMap((provider) =>
    listModels(provider, ports).map((model) => {
      const { name, kind } = provider;
      const check = (kind === "demo" ? null : verdicts.get(pairKey(name, model))) ?? null;
      return { provider: name, model, kind, check, maxTools: VENDOR_FACTS[kind].maxTools };
    }),
  );
  return { items };
}

/** Models known now. A provider without configured models is asked for its list in the background. */
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

async function readVerdicts({ verdicts, logger }: ModelChoicePorts): Promise<Map<string, ModelVerdict>> {
  try {
    const rows = await verdicts();
    return new Map(rows.map(({ provider, model, verdict }) => [pairKey(provider, model), verdict]));
  } catch (error) {
    logger.error({ error: getMessage(error) }, "The verdicts of models could not be read");
    return new Map();
  }
}

function pairKey(provider: string, model: string): string {
  return JSON.stringify([provider, model]);
}
