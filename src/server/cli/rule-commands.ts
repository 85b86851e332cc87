import type { Command } from "commander";
import type { CallRule, CallRuleInput } from "../../lib/contract/call-rule";
import { isPlainObject } from "../../lib/contract/json";
import type { SavedRule } from "../../lib/contract/rule-case";
import { describeBrokenCases } from "../../lib/format/rule-case-words";
import { ruleCaseOperations } from "../features/rules/rule-case-operations";
import { ruleOperations } from "../features/rules/rule-operations";
import { openApi } from "./api-client";
import { usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { addOperationCommands } from "./operation-commands";
import { write, writeJson } from "./output";
import { readFileArgument } from "./payload-files";
import { addRuleExplainCommand } from "./rule-explain-command";
import { addRuleTestCommand } from "./rule-test-command";

const RULES = "/rules";

export function addRuleCommands(program: Command, io: CommandIo): void {
  const rules = addOperationCommands(program, ruleOperations, io);
  addOperationCommands(program, ruleCaseOperations, io);
  addRuleTestCommand(rules, io);
  addRuleExplainCommand(rules, io);
  const save = defineCommand(rules, {
    syntax: "save <file>",
    summary: "Save the rule in a JSON file, or replace the one with its name; - reads stdin",
    details:
      "The file has the rule as POST /api/v1/rules takes it. A new rule is the last one: move it with rules move.",
    examples: [
      ["toolroom rules save no-large-refunds.json", "a rule in a file"],
      [
        `echo '{"name":"No deletions","scope":{"tools":["delete_*"]},"effect":{"kind":"deny","reason":"Ask first"}}' | toolroom rules save -`,
        "from stdin",
      ],
    ],
  });
  addServerOptions(save, "print the rule as POST /api/v1/rules returns it").action(
    (file: string, options: ServerOptions) => saveRule(file, options, io),
  );
}

async function saveRule(file: string, { json, ...options }: ServerOptions, io: CommandIo): Promise<void> {
  const rule = parseRule(await readFileArgument(file, io), file);
  const api = await openApi(options, io);
  const { items } = JSON.parse(await api.getText(RULES)) as { items: CallRule[] };
  const existing = items.find(({ name }) => name.toLowerCase() === String(rule.name).toLowerCase());
  const body = JSON.stringify(rule);
  const text = await (existing === undefined
    ? api.sendText("POST", RULES, body)
    : api.sendText("PUT", `${RULES}/${encodeURIComponent(existing.id)}`, body));
  if (json) return await writeJson(io, text);
  const { name, position, brokenCases } = JSON.parse(text) as SavedRule;
  await write(io.stdout, `${existing === undefined ? "Saved" : "Changed"} rule ${position}: ${name}.\n`);
  if (brokenCases.length > 0) await write(io.stderr, `${describeBrokenCases(brokenCases)}.\n`);
}

/** Its fields are checked by the API. */
function parseRule(text: string, file: string): Partial<CallRuleInput> {
  try {
    const rule: unknown = JSON.parse(text);
    if (isPlainObject(rule)) return rule;
  } catch {
    // The message below covers a syntax error too.
  }
  throw usageError(`${file} must be a JSON object: {"name": …, "effect": {"kind": "ask"}}.`);
}
