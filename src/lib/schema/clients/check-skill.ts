import type { ClientRemedy } from "../../contract/client-verdict-schema";
import { formatCount, formatPlural } from "../../format/count";
import { findSupport } from "./check-access";
import { type RuleFinding, toFinding } from "./check-tool";
import type { ClientProfile, ClientRule } from "./client-profile";
import { CLIENT_SOURCES } from "./client-sources";

/** A skill as a client lists it. */
export interface CheckedSkill {
  name: string;
  description: string;
}

type SkillRule = Extract<ClientRule, { check: `skill-${string}` }>;

const ACTIONS: Readonly<Record<ClientRule["severity"], string>> = {
  refused: "leaves it out",
  dropped: "leaves it out",
  cut: "cuts the rest",
  warns: "documents no more",
};

const isSkillRule = (rule: ClientRule): rule is SkillRule => rule.check.startsWith("skill-");

/** Checks what a client does with the files of a skill. */
export function findSkillFaults(skill: CheckedSkill, { label, rules }: ClientProfile): RuleFinding[] {
  return rules.filter(isSkillRule).flatMap((rule) => {
    const problem = findProblem(rule, skill, label);
    if (problem === null) return [];
    const remedy: ClientRemedy = { kind: "skill", text: problem.remedy };
    return [toFinding(rule, { where: "", message: `The skill \`${skill.name}\`: ${problem.message}`, remedy })];
  });
}

function findProblem(rule: SkillRule, { name, description }: CheckedSkill, label: string) {
  const action = ACTIONS[rule.severity];
  if (rule.check === "skill-name-characters") {
    if (new RegExp(`^[${rule.allowed}]*$`).test(name)) return null;
    return {
      message: `its name has characters beside ${rule.allowed}; ${label} ${action}.`,
      remedy: `Give it a name of ${rule.allowed}.`,
    };
  }
  const [what, text] = rule.check === "skill-name-length" ? ["name", name] : ["description", description];
  const length = [...text].length;
  if (length <= rule.max) return null;
  return {
    message: `its ${what} has ${formatCount(length)} characters; ${label} takes ${formatCount(rule.max)} and ${action}.`,
    remedy: `Shorten the ${what} to ${formatCount(rule.max)} characters.`,
  };
}

interface SkillSupportFault {
  check: "skills";
  severity: "dropped" | "warns";
  where: string;
  message: string;
  remedy: ClientRemedy | null;
  source: { url: string; readOn: string } | null;
}

/** Checks whether a client loads the skills that its address serves. */
export function findSkillSupport(profile: ClientProfile, skills: readonly CheckedSkill[]): SkillSupportFault[] {
  const found = findSupport(profile, "skills");
  if (profile.kind === "api" || skills.length === 0 || found?.support === "yes") return [];
  return [
    {
      check: "skills",
      severity: found?.support === "no" ? "dropped" : "warns",
      where: "",
      message: `${describeSkillSupport(profile)}: ${formatPlural(skills.length, "skill is", "skills are")} served.`,
      remedy: { kind: "skill", text: describeSkillFallback(profile) },
      source: found === null ? null : CLIENT_SOURCES[found.source],
    },
  ];
}

/** Says whether a client loads the skills of servers, as a sentence without a period. */
export function describeSkillSupport(profile: ClientProfile): string {
  const support = findSupport(profile, "skills")?.support;
  if (support === "yes") return `${profile.label} loads skills of servers`;
  if (support === "no") return `${profile.label} loads no skills of servers`;
  if (support === "limited") return `${profile.label} loads skills of servers in part`;
  return `${profile.label} documents no support for skills of servers`;
}

/** How a user of a client gets a skill that it does not load. */
export function describeSkillFallback(profile: ClientProfile): string {
  const readsResources = findSupport(profile, "resources")?.support === "yes";
  const copy = "Copy the skill into its folders: toolroom skills export has those of the team.";
  return readsResources ? `It can read each SKILL.md as a resource. ${copy}` : copy;
}
