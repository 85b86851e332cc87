import { findSupport } from "../src/lib/schema/clients/check-access";
import type { ClientFeature, ClientProfile, ClientRule } from "../src/lib/schema/clients/client-profile";
import { LISTED_PROFILES } from "../src/lib/schema/clients/client-profiles";
import { CLIENT_SOURCES } from "../src/lib/schema/clients/client-sources";

const COLUMNS: Readonly<Record<string, (profile: ClientProfile) => string>> = {
  Client: ({ label }) => label,
  Tools: describeCount,
  Name: describeName,
  Description: (profile) => describeRule(profile, "description-length", ({ max }) => toNumber(max)),
  Schema: describeSchema,
  Transports: (profile) => listFeatures(profile, { stdio: "stdio", http: "HTTP" }),
  "Sign-in": (profile) =>
    listFeatures(profile, { registration: "DCR", metadataDocument: "CIMD", oauth: "OAuth", headers: "headers" }),
  Also: (profile) =>
    listFeatures(profile, {
      apps: "Apps",
      resources: "resources",
      prompts: "prompts",
      sampling: "sampling",
      elicitation: "elicitation",
      urlElicitation: "URLs",
    }),
  Skills: describeSkills,
};

/** Returns the rules of all clients in columns, and the sources by the day on which they were read. */
export function describeClients(): string {
  const rows = LISTED_PROFILES.map(([, profile]) =>
    Object.values(COLUMNS).map((describeCell) => describeCell(profile)),
  );
  const table = alignColumns([Object.keys(COLUMNS), ...rows]);
  const days = [...new Set(Object.values(CLIENT_SOURCES).map(({ readOn }) => readOn))].sort().reverse();
  return [["```", ...table, "```"].join("\n"), ...days.map(listSources)].join("\n\n");
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((cells) => cells[at]?.length ?? 0)));
  return rows.map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function listSources(day: string): string {
  const read = Object.values(CLIENT_SOURCES).filter(({ readOn }) => readOn === day);
  return [`Read on ${day}:`, "", ...read.map(({ url }) => `<${url}>`)].join("\n");
}

const toNumber = (count: number): string => count.toLocaleString("en-US");

function find<Check extends ClientRule["check"]>({ rules }: ClientProfile, check: Check) {
  return rules.find((rule): rule is Extract<ClientRule, { check: Check }> => rule.check === check);
}

function describeRule<Check extends ClientRule["check"]>(
  profile: ClientProfile,
  check: Check,
  toText: (rule: Extract<ClientRule, { check: Check }>) => string,
): string {
  const rule = find(profile, check);
  return rule === undefined ? "–" : `${toText(rule)}${rule.severity === "warns" ? "*" : ""}`;
}

const SKILL_SUPPORT = { yes: "yes", limited: "(yes)", no: "no" } as const;

/** Describes whether a client loads the skills of servers, and which limits it has for skills in its own folders. */
function describeSkills(profile: ClientProfile): string {
  const support = findSupport(profile, "skills");
  const parts = [
    support === null ? "–" : SKILL_SUPPORT[support.support],
    describeRule(profile, "skill-name-length", ({ max }) => `name≤${max}`),
    describeRule(profile, "skill-name-characters", ({ allowed }) => allowed),
    describeRule(profile, "skill-description-length", ({ max }) => `text≤${toNumber(max)}`),
  ].filter((part) => part !== "–");
  return parts.join(";") || "–";
}

function describeCount(profile: ClientProfile): string {
  return describeRule(profile, "tool-count", ({ max }) => toNumber(max));
}

function describeName(profile: ClientProfile): string {
  const parts = [
    describeRule(profile, "name-length", ({ max, of }) => `${max}${of === "list" ? "" : "+"}`),
    describeRule(profile, "name-characters", ({ allowed }) => allowed),
  ].filter((part) => part !== "–");
  return parts.join(" ") || "–";
}

const SCHEMA_WORDS: Partial<Record<ClientRule["check"], string>> = {
  "root-keywords": "root",
  "property-names": "names",
  keywords: "keywords",
  "array-items": "items",
  references: "$ref",
  strict: "strict",
};

function describeSchema({ rules }: ClientProfile): string {
  const words = rules.flatMap(({ check, severity }) => {
    const word = SCHEMA_WORDS[check];
    return word === undefined ? [] : [severity === "warns" ? `${word}*` : word];
  });
  return words.join(",") || "–";
}

function listFeatures(profile: ClientProfile, words: Partial<Record<ClientFeature, string>>): string {
  const shown = Object.entries(words).flatMap(([feature, word]) => {
    const support = findSupport(profile, feature as ClientFeature)?.support;
    if (support === undefined) return [];
    return [support === "yes" ? word : support === "limited" ? `(${word})` : `-${word}`];
  });
  return shown.join(",") || "–";
}
