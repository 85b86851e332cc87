import { type Command, InvalidArgumentError, Option } from "commander";
import { SCOPES } from "../../lib/contract/access";
import { getMessage } from "../../lib/get-message";
import { serviceAccountOperations } from "../features/accounts/service-account-operations";
import { tokenOperations } from "../features/accounts/token-operations";
import { CommandError, EXIT } from "./command-error";
import type { CommandIo } from "./command-io";
import { collect, defineCommand } from "./define-command";
import { readDatabaseUrl } from "./find-address";
import { addOperationCommands } from "./operation-commands";
import { write, writeJson } from "./output";
import { chooseExample } from "./shell-examples";

interface CreateOptions {
  scope: string;
  tool?: string[];
  server?: string[];
  toolset?: string[];
  days?: number;
  admin?: string;
  data?: string;
  json?: boolean;
}

export function addTokenCommands(program: Command, io: CommandIo): void {
  addOperationCommands(program, serviceAccountOperations, io);
  const token = addOperationCommands(program, tokenOperations, io);
  const create = defineCommand(token, {
    syntax: "create <name>",
    summary: "Create an API token and print it once",
    details:
      "The token is an admin's. Creating it needs read access to the key of the database; Toolroom may be running. " +
      "It goes to stdout alone. Without --tool, --server and --toolset it is for all.",
    examples: [
      [
        chooseExample(
          "export TOOLROOM_API_TOKEN=$(toolroom token create laptop --scope manage)",
          "$env:TOOLROOM_API_TOKEN = toolroom token create laptop --scope manage",
        ),
        "for the commands of this shell",
      ],
      ["toolroom token create ci --tool get_weather --days 7", "for one tool, for a week"],
    ],
  });
  create
    .addOption(new Option("--scope <scope>", "what it allows").choices(SCOPES).default("run"))
    .option("--tool <name>", "only this tool; may be repeated", collect)
    .option("--server <name>", "only the tools of this server; may be repeated", collect)
    .option("--toolset <name>", "only this toolset; may be repeated", collect)
    .option("--days <number>", "how long it is valid: 90, or the greatest age of tokens where that is less", parseDays)
    .option("--admin <e-mail>", "the admin whose token it is, where there are several")
    .option("--data <folder>", "the folder of the database")
    .option("--json", "print { token, text }")
    .action((name: string, options: CreateOptions) => createToken(name, options, io));
}

async function createToken(name: string, options: CreateOptions, io: CommandIo): Promise<void> {
  const { scope, tool = null, server = null, toolset = null, days = null } = options;
  const { createApiToken } = await import("../main/create-api-token");
  const { readEnv } = await import("../main/env");
  const env = { ...io.env, DATABASE_URL: readDatabaseUrl(options, io), TOOLROOM_ROOT: io.rootDir };
  const wanted = { name, scopes: [scope], tools: tool, servers: server, toolsets: toolset };
  const made = await createApiToken(readEnv(env), options.admin ?? null, wanted, days).catch((error: unknown) => {
    throw new CommandError(EXIT.failed, `${getMessage(error)}.`);
  });
  await (options.json ? writeJson(io, JSON.stringify(made)) : write(io.stdout, `${made.text}\n`));
}

function parseDays(text: string): number {
  const days = Number(text);
  if (/^\d{1,4}$/.test(text) && days >= 1 && days <= 3650) return days;
  throw new InvalidArgumentError("It must be a number from 1 to 3650.");
}
