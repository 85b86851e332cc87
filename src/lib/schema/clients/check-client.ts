import { type CheckedClient, CLIENT_SEVERITIES, type FitVerdict } from "../../contract/client-verdict";
import type { ClientFinding, ClientVerdict } from "../../contract/client-verdict-schema";
import { formatCount, formatPlural } from "../../format/count";
import { findAccessFaults, type ServedAccess } from "./check-access";
import { type CheckedSkill, findSkillFaults, findSkillSupport } from "./check-skill";
import { type CheckedTool, findToolFaults, type RuleFinding, type ToolReader, toFinding } from "./check-tool";
import type { ClientProfile, ClientRule } from "./client-profile";
import { CLIENT_PROFILES } from "./client-profiles";
import { surveySchema } from "./survey-schema";

export interface CheckedList {
  tools: readonly CheckedTool[];
  skills: readonly CheckedSkill[];
  access: ServedAccess;
}

/** Findings of one client that are listed; more are counted. */
export const MAX_FINDINGS = 200;

/** Checks what a client does with a list of tools, by the rules of its documentation and code, without a call. */
export function checkClient(
  client: CheckedClient,
  { tools, skills, access }: CheckedList,
  limit = MAX_FINDINGS,
): ClientVerdict {
  const profile = CLIENT_PROFILES[client];
  const reader: ToolReader = { client, profile, server: access.serverName };
  const found: ClientFinding[] = [
    ...findListFaults(profile, tools.length).map((each) => name(client, null, each)),
    ...findAccessFaults(profile, access, tools).map((each) => name(client, null, each)),
    ...findSkillSupport(profile, skills).map((each) => name(client, null, each)),
    ...skills.flatMap((skill) => findSkillFaults(skill, profile).map((each) => name(client, null, each))),
    ...tools.flatMap((tool) => findToolFaults(tool, reader).map((each) => name(client, tool, each))),
  ].sort((one, other) => rank(one) - rank(other));
  const refused = countRefused(found, profile, tools.length);
  const verdict = decide({ found, refused, profile, tools });
  return {
    client,
    label: profile.label,
    verdict,
    reason: verdict === "cannot_tell" ? explainDoubt(profile, tools) : "",
    tools: tools.length,
    refused,
    findings: found.slice(0, limit),
    findingCount: found.length,
  };
}

const rank = ({ severity }: ClientFinding): number => CLIENT_SEVERITIES.indexOf(severity);

function name(client: CheckedClient, tool: CheckedTool | null, { check, ...finding }: NamedFault): ClientFinding {
  const named = { tool: tool?.name ?? null, catalogTool: tool?.catalogName ?? null };
  return { client, rule: `${client}/${check}`, ...named, ...finding };
}

type NamedFault = Omit<RuleFinding, "check"> & { check: string };

function findListFaults(profile: ClientProfile, count: number): RuleFinding[] {
  return profile.rules.flatMap((rule) => {
    if (rule.check !== "tool-count" || count <= rule.max) return [];
    const max = formatCount(rule.max);
    const message = `The list has ${formatPlural(count, "tool")}; ${profile.label} ${rule.severity === "warns" ? "advises at most" : "takes"} ${max}.`;
    const remedy = { kind: "select" as const, text: `Serve at most ${max} tools, with a toolset or ?tools=.` };
    return [toFinding(rule, { where: "", message, remedy })];
  });
}

/**
 * One tool that breaks a rule of the whole list makes the client refuse the others too. Of a list that is too long, the
 * client may drop the rest.
 */
function countRefused(found: readonly ClientFinding[], { rules }: ClientProfile, count: number): number {
  const refusals = found.filter(({ severity }) => severity === "refused");
  const limit = rules.find((rule) => rule.check === "tool-count" && rule.severity === "refused" && !rule.breaksList);
  const room = limit?.check === "tool-count" ? limit.max : count;
  const isWhole = ({ tool, rule }: ClientFinding): boolean => {
    const own = rules.find(({ check }) => rule.endsWith(`/${check}`));
    return own === undefined ? tool === null : own.breaksList === true;
  };
  if (refusals.some(isWhole)) return count;
  return Math.max(new Set(refusals.flatMap(({ tool }) => tool ?? [])).size, count - room);
}

interface Decision {
  found: readonly ClientFinding[];
  refused: number;
  profile: ClientProfile;
  tools: readonly CheckedTool[];
}

function decide({ found, refused, profile, tools }: Decision): FitVerdict {
  const isUnreachable = found.some(({ severity, tool }) => severity === "refused" && tool === null);
  if (isUnreachable && tools.length === 0) return "does_not_work";
  if (refused > 0) return refused === tools.length ? "does_not_work" : "works_with_changes";
  if (explainDoubt(profile, tools) !== "") return "cannot_tell";
  return found.some(({ severity }) => severity !== "warns") ? "works_with_changes" : "works";
}

/** Checks that do not look at definitions. */
const OUTER_CHECKS: ReadonlySet<ClientRule["check"]> = new Set([
  "tool-count",
  "result-length",
  "skill-name-length",
  "skill-name-characters",
  "skill-description-length",
]);

/** Why the rules that are known do not decide; empty where they do. */
function explainDoubt({ label, rules }: ClientProfile, tools: readonly CheckedTool[]): string {
  if (tools.length === 0) return "The list has no tools.";
  const large = tools.find(({ schema }) => surveySchema(schema).isPartial);
  if (large !== undefined) return `The schema of ${large.name} is too large to check.`;
  if (rules.some(({ check }) => !OUTER_CHECKS.has(check))) return "";
  return `${label} documents no rules for the names and schemas of tools.`;
}
