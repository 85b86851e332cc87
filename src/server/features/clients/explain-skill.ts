import type { Principal } from "../../../lib/contract/access";
import type { ToolAnswer } from "../../../lib/contract/client";
import type { ServedSkill } from "../../../lib/contract/served-skill";
import type { SkillChange } from "../../../lib/contract/skill-change";
import { findSupport } from "../../../lib/schema/clients/check-access";
import { describeSkillFallback, describeSkillSupport } from "../../../lib/schema/clients/check-skill";
import { CLIENT_PROFILES } from "../../../lib/schema/clients/client-profiles";
import { findProgram } from "../../../lib/schema/clients/find-program";
import type { ViewQuery } from "../../engine/client-ports";
import type { ExplainedSession } from "./explain-tool";

export interface SkillFacts {
  /** The skills that an address serves to a caller. */
  served(query: ViewQuery, principal: Principal): Promise<readonly ServedSkill[]>;
  /** The versions of servers' skills that clients do not have. */
  changes(): readonly SkillChange[];
}

type Answer = Omit<ToolAnswer, "tool" | "nearest">;

const CATALOG: ViewQuery = { server: null, plainNames: false, tools: null };

/** Says why a client does not see a skill, or that it does; null where no skill has the name or URI. */
export async function explainSkill(
  asked: string,
  { session, principal }: Pick<ExplainedSession, "session" | "principal">,
  facts: SkillFacts,
): Promise<Answer | null> {
  const wanted = asked.trim();
  const isMeant = ({ name, uri }: { name: string; uri: string }): boolean => name === wanted || uri === wanted;
  const { query } = session.access;
  if (query.tools === null && (await facts.served(query, principal)).some(isMeant)) return explainServed(session.name);
  const change = facts.changes().find((each) => each.kind === "added" && isMeant(each));
  if (change !== undefined) return explainChange(change);
  if (!(await facts.served(CATALOG, principal)).some(isMeant)) return null;
  const isToolset = query.toolset !== undefined;
  return {
    verdict: "limit",
    answer: `The skill is served at /mcp, and not at ${session.address}.`,
    wayOut: isToolset
      ? "Choose its server, or the team's skills, under Resources and prompts of the toolset."
      : "Use an address that serves it, without ?tools=.",
    link: isToolset ? `/toolsets/${encodeURIComponent(query.toolset ?? "")}` : "/clients#connect",
  };
}

function explainServed(program: string): Answer {
  const known = findProgram(program);
  const served = "The skill is served at this address.";
  if (known === null) {
    return {
      verdict: "listed",
      answer: `${served} Clients that know the skills extension list it.`,
      wayOut: "Look in the documentation of the client for skills of MCP servers.",
      link: null,
    };
  }
  const profile = CLIENT_PROFILES[known];
  const isLoaded = findSupport(profile, "skills")?.support === "yes";
  return {
    verdict: isLoaded ? "listed" : "client",
    answer: `${served} ${describeSkillSupport(profile)}.`,
    wayOut: isLoaded ? `Restart ${program}, or reconnect the server in it.` : describeSkillFallback(profile),
    link: null,
  };
}

function explainChange({ server, status, reason }: SkillChange): Answer {
  const link = `/servers/${encodeURIComponent(server)}/changes`;
  const wayOut = "Review the change on the server's page.";
  if (status === "withheld") {
    const answer = `The skill is new on ${server} and withheld: ${reason}.`;
    return { verdict: "unusable", answer, wayOut: "The server has to list it differently.", link };
  }
  const what = status === "open" ? "waits for approval" : "was rejected";
  return { verdict: "held", answer: `The skill is new on ${server} and ${what}.`, wayOut, link };
}
