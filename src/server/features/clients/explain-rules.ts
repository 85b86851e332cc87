import type { ToolAnswer } from "../../../lib/contract/client";
import type { ClientVerdict } from "../../../lib/contract/client-verdict-schema";
import { type ClientVerdictService, toListEntries } from "./client-verdicts";
import type { ExplainedSession } from "./explain-tool";

/** Rules that say nothing of tools. */
const SKILL_RULES = /\/skill(?:s$|-)/;
/** Sentences of an answer: the tool's page has the others. */
const MAX_SENTENCES = 4;

/** Adds to the answer on a listed tool what its client does with it by its own rules: names, schemas, sizes, sign-in. */
export async function explainRules(
  answer: ToolAnswer,
  { session, view, now, principal }: Pick<ExplainedSession, "session" | "view" | "now" | "principal">,
  { checkGiven }: Pick<ClientVerdictService, "checkGiven">,
): Promise<ToolAnswer> {
  if (view === null) return answer;
  const verdict = await checkGiven({ name: session.name, query: session.access.query, principal }, toListEntries(view));
  const listedAs = now.find(({ tool }) => tool === answer.tool)?.name;
  return verdict === null ? answer : addFindings(answer, verdict, listedAs);
}

function addFindings(answer: ToolAnswer, verdict: ClientVerdict, listedAs: string | undefined): ToolAnswer {
  const found = verdict.findings.filter(
    ({ rule, tool, severity }) =>
      severity !== "warns" && !SKILL_RULES.test(rule) && (tool === null || tool === listedAs),
  );
  const [strongest] = found;
  if (strongest === undefined) return answer;
  const messages = found.slice(0, MAX_SENTENCES).map(({ message }) => message);
  const added = { ...answer, answer: [answer.answer, ...messages].join(" ") };
  if (strongest.severity !== "refused") return added;
  return { ...added, verdict: "client", wayOut: strongest.remedy?.text ?? answer.wayOut, link: "/toolsets" };
}
