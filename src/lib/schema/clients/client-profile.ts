import type { ClientSeverity } from "../../contract/client-verdict";
import type { ClientSourceId } from "./client-sources";

/** Features that a client may support beside tools. Those that its profile does not name are not documented. */
export const CLIENT_FEATURES = [
  "stdio",
  "http",
  "oauth",
  "registration",
  "metadataDocument",
  "headers",
  "apps",
  "resources",
  "prompts",
  "sampling",
  "elicitation",
  "urlElicitation",
  "skills",
] as const;
export type ClientFeature = (typeof CLIENT_FEATURES)[number];

export const SUPPORTS = ["yes", "limited", "no"] as const;
export type Support = (typeof SUPPORTS)[number];

/** The features that one source names. */
export type FeatureFacts = { source: ClientSourceId } & Partial<Record<Support, readonly ClientFeature[]>>;

/** The keywords at the root of a schema that some model APIs refuse. */
export const ROOT_KEYWORDS = ["anyOf", "oneOf", "allOf", "enum", "not"] as const;
export type RootKeyword = (typeof ROOT_KEYWORDS)[number];

export type ClientCheck =
  /** `list`: as Toolroom lists it. `full`: with the prefix of the client. `combined`: the server's name and the tool's together. */
  | { check: "name-length"; max: number; of: "list" | "full" | "combined" }
  /** @param allowed the inside of a character class @param first that of the first character, where it has fewer */
  | { check: "name-characters"; allowed: string; first?: string }
  | { check: "description-length"; max: number }
  | { check: "tool-count"; max: number }
  /** @param raisedBy a number in `_meta` of the listed tool that raises the limit, up to `most` */
  | { check: "result-length"; max: number; raisedBy?: { key: string; most: number } }
  | { check: "root-keywords"; keywords: readonly RootKeyword[] }
  | { check: "property-names"; accepted: RegExp; words: string; depth: "top" | "all" }
  /** Keywords below the root that are left out: those named, or all but the kept ones. */
  | { check: "keywords"; dropped: readonly string[] }
  | { check: "keywords"; kept: ReadonlySet<string> }
  | { check: "array-items" }
  | { check: "references" }
  | { check: "strict" }
  /** Rules for skills as files: most programs load none from servers. */
  | { check: "skill-name-length"; max: number }
  /** @param allowed the inside of a character class */
  | { check: "skill-name-characters"; allowed: string }
  | { check: "skill-description-length"; max: number };

/** A thing that a client refuses or changes, with the place where that is written. */
export type ClientRule = ClientCheck & {
  severity: ClientSeverity;
  source: ClientSourceId;
  /** One tool that breaks it makes the client or its API refuse the whole list. */
  breaksList?: true;
  /** A sentence that the message ends with: since which version, with which models. */
  note?: string;
};

export interface ClientProfile {
  label: string;
  /** `program`: on the user's machine. `cloud`: its requests come from the servers of its vendor. `api`: programs send it the tools. */
  kind: "program" | "cloud" | "api";
  /** The text before a tool's name; `{server}` is the name of Toolroom in the client's configuration. */
  prefix: string;
  rules: readonly ClientRule[];
  features: readonly FeatureFacts[];
}
