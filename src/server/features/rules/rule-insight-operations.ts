import { z } from "zod";
import type { CaughtCall, RuleProposal, RuleResults } from "../../../lib/contract/rule-insight";
import {
  caughtCallSchema,
  RESULT_DAYS,
  ruleProposalsInputSchema,
  ruleProposalsSchema,
  ruleResultsSchema,
} from "../../../lib/contract/rule-insight";
import { describeEffect } from "../../../lib/format/call-rule-words";
import { formatPlural } from "../../../lib/format/count";
import { describeCaught, describeResults } from "../../../lib/rules/insight-words";
import { act, read } from "../../platform/api/operation";
import type { CommandPart } from "../../platform/api/operation-command";
import { numberInQuery } from "../../platform/api/route-inputs";

const id = z.string().min(1).max(100);
const [fewDays, manyDays] = RESULT_DAYS;

/** What rules learn from the execution log: conditions from a call, rules that would have stopped one, and what a rule did. */
export const ruleInsights = {
  propose: read({
    rest: "GET /rules/proposals",
    summary: "Propose conditions for a rule made from a call, each with the calls of seven days that it matches",
    allow: "read",
    input: ruleProposalsInputSchema,
    output: ruleProposalsSchema,
    run: ({ services, signal }, input) => services.rules.propose(input, signal),
    cli: {
      words: "propose <execution>",
      summary: "Propose conditions that set a call apart from the others of its tool",
      options: {
        effect: ["--effect <effect>", "allow, deny or ask; default: ask"],
        callers: ["--callers <callers>", "all, or same for calls of its caller alone; default: all"],
        field: ["--field <path>", "a number to compare with its value: args.amount"],
      },
      examples: [
        ["toolroom rules propose exec_5f0c…", "for a rule that asks"],
        ["toolroom rules propose exec_5f0c… --effect deny --json", "for one that denies, as JSON"],
      ],
      print: ({ proposals, calls }): CommandPart[] => [
        {
          head: ["CONDITION", "WOULD MATCH", "CANNOT TELL"],
          rows: proposals.map(({ condition, matched, unknown }) => [
            condition || "every call",
            `${matched} of ${formatPlural(calls, "call")}`,
            String(unknown),
          ]),
        },
      ],
    },
  }),
  caught: read({
    rest: "GET /rules/caught",
    summary:
      "Which rules that are off or only record would have denied a call or asked for it, and which conditions would",
    allow: "read",
    input: z.object({ execution: id.describe("The id of the call") }),
    output: caughtCallSchema,
    run: ({ services, signal }, { execution }) => services.rules.caught(execution, signal),
    cli: {
      words: "caught <execution>",
      summary: "Show the rules and conditions that would have caught a failed call",
      examples: [
        ["toolroom rules caught exec_5f0c…", "with what else they would have caught"],
        ["toolroom rules caught exec_5f0c… --json", "as JSON"],
      ],
      print: printCaught,
    },
  }),
  results: read({
    rest: "GET /rules/{id}/results",
    summary: "Compare what a rule matched with what became of these calls",
    allow: "read",
    input: z.object({
      id,
      days: numberInQuery(1, manyDays).default(fewDays).describe("1 to 30, default 7"),
    }),
    output: ruleResultsSchema,
    run: ({ services, signal }, { id: rule, days }) => services.rules.results(rule, days, signal),
    cli: {
      words: "results <id>",
      summary: "Show what became of the calls that a rule matched",
      options: { days: ["--days <days>", "1 to 30, default 7"] },
      examples: [
        ["toolroom rules results 'Orders at night'", "of the last 7 days"],
        ["toolroom rules results rule_5f0c… --days 30", "of the last 30"],
      ],
      find: { list: "/rules", kind: "rule" },
      print: printResults,
    },
  }),
  markReviewed: act({
    rest: "PUT /rules/{id}/reviewed",
    summary: "Say that you have looked at the results of a rule",
    allow: "edit",
    input: z.object({ id }),
    audit: { unrecorded: "It concerns what editors have seen, and no call" },
    run: ({ services, actor }, input) => services.rules.markReviewed(actor, input.id),
  }),
};

const toCells = (proposal: Omit<RuleProposal, "condition">, totals: Pick<CaughtCall, "failed" | "succeeded">) => [
  describeCaught(proposal, totals),
  String(proposal.unknown),
];

function printCaught(caught: CaughtCall): CommandPart[] {
  const { rules, proposals } = caught;
  const rows = [
    ...rules.map((rule) => [`${rule.name} (${rule.state}, ${describeEffect(rule.effect)})`, ...toCells(rule, caught)]),
    ...proposals.map((proposal) => [proposal.condition, ...toCells(proposal, caught)]),
  ];
  if (rows.length === 0) return [{ lines: ["No rule and no condition sets the failed calls apart."] }];
  return [{ head: ["RULE OR CONDITION", "WOULD HAVE CAUGHT", "CANNOT TELL"], rows }];
}

function printResults(results: RuleResults): CommandPart[] {
  const { recorded, decided, groups } = results;
  const lines = [
    ...(recorded.matched > 0 ? [`Recorded: ${describeResults(recorded)}`] : []),
    ...(decided.matched > 0 ? [`Decided: ${describeResults(decided)}`] : []),
  ];
  if (lines.length === 0) return [{ lines: [`No calls were matched in ${formatPlural(results.days, "day")}.`] }];
  return [
    { lines },
    {
      head: ["CALLER", "TOOL", "CALLS", "SUCCEEDED", "FAILED", "REJECTED"],
      rows: groups.map(({ actor, toolName, matched, succeeded, failed, rejected }) => [
        actor.name,
        toolName,
        String(matched),
        String(succeeded),
        String(failed),
        String(rejected),
      ]),
    },
  ];
}
