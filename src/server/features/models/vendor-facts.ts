import type { ModelProviderKind } from "../../../lib/contract/model";

export interface VendorFacts {
  /** The vendor's own address; null where there is none. */
  address: string | null;
  keyVariables: readonly string[];
  addressVariable: string | null;
  needsKey: boolean;
  /** Offered until the vendor's list is known: a name of its SDK, so that the picker works before the first answer. */
  firstModel: string | null;
  /** Tools that one request may offer, as the vendor documents it; null where it documents no number. */
  maxTools: number | null;
}

export const VENDOR_FACTS: Readonly<Record<ModelProviderKind, VendorFacts>> = {
  anthropic: {
    address: "https://api.anthropic.com",
    keyVariables: ["ANTHROPIC_API_KEY"],
    addressVariable: "ANTHROPIC_BASE_URL",
    needsKey: true,
    firstModel: "claude-sonnet-5-5",
    maxTools: null,
  },
  openai: {
    address: "https://api.openai.com",
    keyVariables: ["OPENAI_API_KEY"],
    addressVariable: "OPENAI_BASE_URL",
    needsKey: true,
    firstModel: "gpt-5.4-mini",
    // API reference, `tools`: "A max of 128 functions are supported"; more are refused as `array_above_max_length`.
    maxTools: 128,
  },
  gemini: {
    address: "https://generativelanguage.googleapis.com",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    addressVariable: null,
    needsKey: true,
    firstModel: "gemini-3.8-flash",
    // API reference, `Tool.functionDeclarations`: "Maximum 512 function declarations can be provided."
    maxTools: 512,
  },
  ollama: {
    address: "http://127.0.0.1:11434",
    keyVariables: [],
    addressVariable: "OLLAMA_HOST",
    needsKey: false,
    firstModel: null,
    maxTools: null,
  },
  "openai-compatible": {
    address: null,
    keyVariables: [],
    addressVariable: null,
    needsKey: false,
    firstModel: null,
    maxTools: null,
  },
  demo: { address: null, keyVariables: [], addressVariable: null, needsKey: false, firstModel: "demo", maxTools: null },
};

/** The origin of a provider's requests; null where its address is missing or invalid. */
export function getOrigin(kind: ModelProviderKind, baseUrl: string | null): string | null {
  const address = baseUrl ?? VENDOR_FACTS[kind].address;
  return address !== null && URL.canParse(address) ? new URL(address).origin : null;
}
