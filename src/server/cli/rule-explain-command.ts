import type { Command } from "commander";
import type { CallExplanation } from "../../lib/contract/rule-explanation";
import { describeEffect } from "../../lib/format/call-rule-words";
import {
  describeExplanation,
  listRuleFacts,
  SETTING_LABELS,
  STEP_LABELS,
} from "../../lib/format/rule-explanation-words";
import { openApi } from "./api-client";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { type Cell, formatTable, toLine, toTableStyle, write, writeJson } from "./output";
import { readPayload } from "./payload-files";
import { chooseExample } from "./shell-examples";

interface ExplainOptions extends ServerOptions {
  user?: string;
  role?: string;
  token?: string;
  client?: string;
  source?: string;
  toolset?: string;
  time?: string;
}

export function addRuleExplainCommand(rules: Command, io: CommandIo): void {
  const explain = defineCommand(rules, {
    syntax: "explain <tool> [arguments]",
    summary: "Say what would become of a call, rule by rule",
    details:
      "Makes no call and counts nothing. Give the arguments as one JSON object, as @file, or - for stdin. Without options it is " +
      "a call of yours, over REST.",
    examples: [
      [
        chooseExample(`toolroom rules explain pay '{"amount":900}'`, `'{"amount":900}' | toolroom rules explain pay -`),
        "which rule decides, and what limits have left",
      ],
      ["toolroom rules explain pay --client claude-code --source gateway --role operator", "from another client"],
      ["toolroom rules explain pay --json", "with the values that conditions read, as JSON"],
    ],
  })
    .option("--user <id>", "the id of the user who calls; default: you")
    .option("--role <role>", "viewer, operator, editor or admin; default: the user's")
    .option("--token <id>", "the id of the API token of the call")
    .option("--client <client>", "claude-code, or with its version claude-code/1.2.3")
    .option("--source <source>", "console, agent, gateway, api, …; default: api")
    .option("--toolset <name>", "the toolset that the call comes through")
    .option("--time <time>", "when it is made: 2026-11-30T22:15:00+01:00");
  addServerOptions(explain, "print the explanation as POST /api/v1/rules/explain returns it").action(
    (tool: string, text: string | undefined, options: ExplainOptions) => explainCall(tool, text, options, io),
  );
}

async function explainCall(
  tool: string,
  text: string | undefined,
  { json, user, role, token, client, source, toolset, time, ...choice }: ExplainOptions,
  io: CommandIo,
): Promise<void> {
  const args = text === undefined ? "{}" : await readPayload(text, io);
  const call = JSON.stringify({ tool, caller: { id: user, role, token }, client, source, toolset, time });
  const api = await openApi(choice, io);
  // Written as text, so that the arguments stay as typed.
  const answer = await api.sendText("POST", "/rules/explain", `${call.slice(0, -1)},"arguments":${args}}`);
  if (json) return await writeJson(io, answer);
  await write(io.stdout, formatExplanation(JSON.parse(answer) as CallExplanation, io));
}

function formatExplanation(explanation: CallExplanation, io: CommandIo): string {
  const { message, problems, rules, settings } = explanation;
  const mark = (decides: boolean, text: string): Cell => (decides ? { text: `${text} *`, color: "green" } : { text });
  const rows = [
    ...rules.map((rule) => [
      String(rule.position),
      toLine(rule.name),
      toLine(describeEffect(rule.effect)),
      mark(rule.decides, STEP_LABELS[rule.step]),
      toLine(listRuleFacts(rule).join(", ")),
    ]),
    ...settings.map(({ of, says, decides }) => ["", SETTING_LABELS[of], says ?? "not set", mark(decides, ""), ""]),
  ];
  const table = formatTable(["#", "RULE OR SETTING", "EFFECT", "THIS CALL", ""], rows, toTableStyle(io));
  const notes = [
    ...(message === null ? [] : [message]),
    ...problems.map(({ path, message: problem }) => `${path} ${problem}`),
  ];
  return `${toLine(describeExplanation(explanation))}\n${notes.map((note) => `${toLine(note)}\n`).join("")}\n${table}`;
}
