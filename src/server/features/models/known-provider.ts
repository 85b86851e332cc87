import type { LastEdit } from "../../../lib/contract/last-edit";
import { DEMO_PROVIDER, type ModelProviderKind, type ModelProviderSummary } from "../../../lib/contract/model";
import type { ModelConnection } from "../../engine/agent/chat-ports";
import type { ProviderSettings, StoredProvider } from "./model-provider-store";
import { publicAddress } from "./provider-address";
import { getOrigin, VENDOR_FACTS } from "./vendor-facts";

export type Variables = Readonly<Record<string, string | undefined>>;

/** A provider with all that is needed to ask it. Never changed: new settings make a new one, with its own client. */
export interface KnownProvider extends ProviderSettings {
  origin: ModelProviderSummary["origin"];
  /** The key that is sent; in plain text, never logged. */
  apiKey: string | null;
  key: ModelProviderSummary["key"];
  problem: string | null;
  connection: ModelConnection | null;
  lastEdit?: LastEdit | undefined;
}

export function providerOfRow(stored: StoredProvider, variables: Variables): KnownProvider {
  const { key: own, keyFault, ...settings } = stored;
  const borrowed = own === null && keyFault === null ? borrowedKey(stored, variables) : null;
  const key: KnownProvider["key"] =
    keyFault !== null
      ? { state: "unreadable", variable: null }
      : own !== null
        ? { state: "stored", variable: null }
        : { state: borrowed === null ? "none" : "environment", variable: borrowed?.variable ?? null };
  const apiKey = own ?? borrowed?.value ?? null;
  const problem = keyFault === null ? findProblem(settings, apiKey) : `apiKey cannot be read. ${keyFault}`;
  return { ...settings, origin: "console", apiKey, key, problem, connection: null };
}

export function environmentProviders(variables: Variables): KnownProvider[] {
  const kinds: ModelProviderKind[] = ["anthropic", "openai", "gemini", "ollama"];
  return kinds.flatMap((kind) => {
    const { addressVariable, needsKey } = VENDOR_FACTS[kind];
    const found = findKey(kind, variables);
    const address = addressVariable === null ? null : given(variables, addressVariable);
    if (needsKey ? found === null : address === null) return [];
    const baseUrl = address === null ? null : kind === "ollama" ? ollamaAddress(address) : address;
    const usable = baseUrl === null || isHttpAddress(baseUrl);
    return {
      name: kind,
      kind,
      baseUrl: usable ? baseUrl : null,
      models: [],
      prices: [],
      origin: "environment",
      apiKey: found?.value ?? null,
      key: { state: found === null ? "none" : "environment", variable: found?.variable ?? null },
      problem: usable ? null : `${addressVariable} must be an http or https URL without a user name`,
      connection: null,
    };
  });
}

export function demoProvider(): KnownProvider {
  return {
    name: DEMO_PROVIDER,
    kind: "demo",
    baseUrl: null,
    models: ["demo"],
    prices: [],
    origin: "built-in",
    apiKey: null,
    key: { state: "none", variable: null },
    problem: null,
    connection: null,
  };
}

export function toProviderSummary(provider: KnownProvider): ModelProviderSummary {
  const { name, kind, origin, baseUrl, key, models, prices, problem, lastEdit } = provider;
  const address = baseUrl === null ? null : publicAddress(baseUrl);
  return {
    name,
    kind,
    origin,
    baseUrl: address,
    key: { ...key },
    models: [...models],
    prices: [...prices],
    problem,
    ...(lastEdit && { lastEdit }),
  };
}

export function isHttpAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === "http:" || protocol === "https:") && username === "" && password === "";
}

/** The environment's key of this kind, where it goes to no other address than the environment means it for. */
function borrowedKey({ kind, baseUrl }: ProviderSettings, variables: Variables): ReturnType<typeof findKey> {
  const found = findKey(kind, variables);
  if (found === null) return null;
  const { addressVariable } = VENDOR_FACTS[kind];
  const meant = getOrigin(kind, addressVariable === null ? null : given(variables, addressVariable));
  return meant !== null && meant === getOrigin(kind, baseUrl) ? found : null;
}

function findKey(kind: ModelProviderKind, variables: Variables): { variable: string; value: string } | null {
  for (const variable of VENDOR_FACTS[kind].keyVariables) {
    const value = given(variables, variable);
    if (value !== null) return { variable, value };
  }
  return null;
}

function given(variables: Variables, name: string): string | null {
  const value = Object.hasOwn(variables, name) ? variables[name]?.trim() : undefined;
  return value ? value : null;
}

function findProblem({ kind, baseUrl }: ProviderSettings, apiKey: string | null): string | null {
  const facts: (typeof VENDOR_FACTS)[ModelProviderKind] | undefined = VENDOR_FACTS[kind];
  if (facts === undefined) return `kind '${kind}' is not known to this version of Toolroom`;
  if (facts.address === null && baseUrl === null && kind !== "demo")
    return "Address missing: enter the provider's base URL";
  if (!facts.needsKey || apiKey !== null) return null;
  const [variable] = facts.keyVariables;
  return `API key missing. Add it here, or set ${variable} and restart.`;
}

/**
 * Ollama's own forms: an address, `host`, `host:port`, `:port`. A server that listens on all addresses is reached on
 * this machine.
 */
function ollamaAddress(text: string): string {
  const full = /^https?:\/\//i.test(text) ? text : `http://${text.startsWith(":") ? `127.0.0.1${text}` : text}`;
  if (!URL.canParse(full)) return text;
  const url = new URL(full);
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1";
  if (url.port === "" && !/^https?:\/\//i.test(text)) url.port = /:80\/?$/.test(text) ? "80" : "11434";
  return url.href.replace(/\/$/, "");
}
