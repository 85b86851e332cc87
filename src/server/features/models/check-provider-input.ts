import type { ModelProviderInput } from "../../../lib/contract";
import { AppError } from "../../app-error";
import { isHttpAddress, type KnownProvider } from "./known-provider";
import type { ProviderSettings } from "./model-provider-store";
import { originOf, VENDOR_FACTS } from "./vendor-facts";

export interface AcceptedProvider {
  settings: ProviderSettings;
  /** Undefined keeps what is stored. */
  key: string | null | undefined;
}

/**
 * @param before the stored provider that these settings replace; null for a new one
 * @throws AppError that lists every problem with its field
 */
export function acceptProvider(input: ModelProviderInput, before: KnownProvider | null): AcceptedProvider {
  const baseUrl = input.baseUrl?.trim().replace(/\/+$/, "") || null;
  const settings = { name: input.name, kind: input.kind, baseUrl, models: unique(input.models), prices: input.prices };
  const key = input.apiKey === undefined || input.apiKey === null ? undefined : input.apiKey.trim() || null;
  const problems = [...addressProblems(settings), ...priceProblems(settings), ...keyProblems(settings, key, before)];
  if (problems.length > 0) {
    throw new AppError("INVALID", `The settings are invalid: ${problems.join("; ")}`, problems);
  }
  return { settings, key: before === null ? (key ?? null) : key };
}

function addressProblems({ kind, baseUrl }: ProviderSettings): string[] {
  if (baseUrl === null) {
    return VENDOR_FACTS[kind].address === null ? ["baseUrl is needed: this kind has no address of its own"] : [];
  }
  return isHttpAddress(baseUrl) ? [] : ["baseUrl must be an http or https address without a user name or password"];
}

function priceProblems({ prices }: ProviderSettings): string[] {
  return prices.flatMap(({ model }, at) =>
    prices.findIndex((other) => other.model === model) < at ? [`prices[${at}].model '${model}' is given twice`] : [],
  );
}

/** A stored key belongs to the address it was given for: it is not sent to another one. */
function keyProblems(
  settings: ProviderSettings,
  key: string | null | undefined,
  before: KnownProvider | null,
): string[] {
  // What a header may hold; the text itself is never repeated.
  if (key && /[^\x21-\x7e]/.test(key)) return ["apiKey must be one line of visible ASCII characters without blanks"];
  const stored = before !== null && (before.key.state === "stored" || before.key.state === "unreadable");
  if (key !== undefined || !stored) return [];
  const former = originOf(before.kind, before.baseUrl);
  const wanted = originOf(settings.kind, settings.baseUrl);
  if (former === wanted) return [];
  return [`apiKey is needed again: the stored one was given for ${former}, and baseUrl now leads to ${wanted}`];
}

function unique(models: readonly string[]): string[] {
  return [...new Set(models)];
}
