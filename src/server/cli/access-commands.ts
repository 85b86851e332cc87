import { type Command, InvalidArgumentError } from "commander";
import type { AccessRulesState } from "../../lib/contract/access-rules";
import { accessRulesOperations } from "../features/accounts/access-rules-operations";
import { describeAccessRules } from "../features/accounts/access-rules-output";
import { openApi } from "./api-client";
import { usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { addOperationCommands, writeParts } from "./operation-commands";
import { writeJson } from "./output";

type Days = number | "off";

interface RuleOptions extends ServerOptions {
  tokenDays?: Days;
  absentDays?: Days;
}

export function addAccessCommands(program: Command, io: CommandIo): void {
  const access = addOperationCommands(program, accessRulesOperations, io);
  const set = defineCommand(access, {
    syntax: "set",
    summary: "Set one or both access rules",
    details: "Existing tokens stay as they are. The last admin is never switched off.",
    examples: [
      ["toolroom access set --token-days 30", "new API tokens are valid for 30 days at most"],
      ["toolroom access set --absent-days 60", "switch off accounts that single sign-on has not seen for 60 days"],
      ["toolroom access set --token-days off --absent-days off", "without either rule"],
    ],
  });
  set
    .option("--token-days <number>", "greatest age of new API tokens, or off", parseDays)
    .option(
      "--absent-days <number>",
      "days without single sign-on until an account is switched off, or off",
      parseDays,
    );
  addServerOptions(set, "print the rules as PUT /api/v1/access-rules has them").action((options: RuleOptions) =>
    setRules(options, io),
  );
}

function parseDays(text: string): Days {
  if (text === "off") return "off";
  const days = Number(text);
  if (/^\d{1,4}$/.test(text) && days >= 1 && days <= 3650) return days;
  throw new InvalidArgumentError("It must be a number from 1 to 3650, or off.");
}

async function setRules({ json, tokenDays, absentDays, ...choice }: RuleOptions, io: CommandIo): Promise<void> {
  if (tokenDays === undefined && absentDays === undefined) throw usageError("Give --token-days or --absent-days.");
  const api = await openApi(choice, io);
  const { rules, revision } = await api.get<AccessRulesState>("/access-rules");
  const changed = {
    maxTokenDays: chooseDays(tokenDays, rules.maxTokenDays),
    absentDays: chooseDays(absentDays, rules.absentDays),
  };
  const saved = await api.sendText("PUT", `/access-rules?revision=${revision}`, JSON.stringify(changed));
  if (json) await writeJson(io, saved);
  else await writeParts(describeAccessRules(JSON.parse(saved) as AccessRulesState), io);
}

function chooseDays(given: Days | undefined, before: number | null): number | null {
  return given === "off" ? null : (given ?? before);
}
