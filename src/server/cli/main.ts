import { Command, CommanderError } from "commander";
import { getMessage } from "../../lib/get-message";
import { stripControlCharacters } from "../../lib/strip-control-characters";
import { spendOperations } from "../calls/spend/spend-operations";
import { agentOperations } from "../features/agent-tools/agent-operations";
import { registryOperations } from "../features/registry/registry-operations";
import { runOperations } from "../features/runs/run-operations";
import { jobOperations } from "../features/system/job-operations";
import { systemOperations } from "../features/system/system-operations";
import { toolOperations } from "../features/tools/tool-operations";
import { webhookOperations } from "../features/webhooks/webhook-operations";
import { addAccessCommands } from "./access-commands";
import { addAlertCommands } from "./alert-commands";
import { addBackupCommands } from "./backup-commands";
import { addCallCommand } from "./call-command";
import { addCassetteCommands } from "./cassettes/cassette-commands";
import { addChangeCommands } from "./change-commands";
import { addCheckCommand } from "./check/check-commands";
import { addClientCommands } from "./client-commands";
import { CommandError, EXIT, isCommandError } from "./command-error";
import type { CommandIo } from "./command-io";
import { addCompletionCommand } from "./completion-command";
import { addExecutionCommands } from "./execution-commands";
import { addFileCommands } from "./file-commands";
import { replaceFormerWords } from "./former-words";
import { addMigrateCommand } from "./migrate-command";
import { addOperationCommands } from "./operation-commands";
import { paint, usesColor } from "./output";
import { addRetentionCommands } from "./retention-commands";
import { addRuleCommands } from "./rule-commands";
import { addServerCommands } from "./server-commands";
import { addSkillCommands } from "./skill-commands";
import { addStartCommands } from "./start-commands";
import { addStatsCommand } from "./stats-command";
import { addSuiteCommands } from "./suite-commands";
import { addSystemCommands } from "./system-commands";
import { addTokenCommands } from "./token-commands";
import { addViewCommands } from "./view-commands";
import { registerWrapCommands } from "./wrap/wrap-commands";

export type { CommandIo } from "./command-io";

/** The commands of `toolroom`, in the order of its help. */
export function buildProgram(io: CommandIo): Command {
  const program = new Command("toolroom")
    .description("Register, run and share the tools that language models call, and keep every call.")
    .version(io.version)
    .helpCommand(false)
    // Options belong to the command that they stand behind: a tool may have a field of any name.
    .enablePositionalOptions()
    .showHelpAfterError("(add --help for the options and examples)")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      getOutHasColors: () => usesColor(io.stdout, io.env),
      getErrHasColors: () => usesColor(io.stderr, io.env),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
    });
  addStartCommands(program, io);
  addSystemCommands(program, io);
  addOperationCommands(program, systemOperations, io);
  addOperationCommands(program, toolOperations, io);
  addCallCommand(program, io);
  addExecutionCommands(program, io);
  addOperationCommands(program, runOperations, io);
  addStatsCommand(program, io);
  addOperationCommands(program, spendOperations, io);
  addSuiteCommands(program, io);
  addCassetteCommands(program, io);
  addViewCommands(program, io);
  addServerCommands(program, io);
  addCheckCommand(program, io);
  addChangeCommands(program, io);
  addFileCommands(program, io);
  addBackupCommands(program, io);
  addMigrateCommand(program, io);
  registerWrapCommands(program, io);
  addTokenCommands(program, io);
  addAccessCommands(program, io);
  addClientCommands(program, io);
  addOperationCommands(program, agentOperations, io);
  addOperationCommands(program, registryOperations, io);
  addSkillCommands(program, io);
  addOperationCommands(program, webhookOperations, io);
  addRuleCommands(program, io);
  addAlertCommands(program, io);
  addRetentionCommands(program, io);
  addOperationCommands(program, jobOperations, io);
  addCompletionCommand(program, io);
  return program.addHelpText(
    "after",
    "\nExit codes: 0 done, 1 the tool or a test failed, 2 usage, 3 not found, 4 refused, 5 no Toolroom answers.\n" +
      "Environment: TOOLROOM_URL, TOOLROOM_API_TOKEN, DATABASE_URL, NO_COLOR.",
  );
}

/** Runs one command line. Never rejects. @param words without Node and the script @returns the exit code */
export async function runCommandLine(words: readonly string[], io: CommandIo): Promise<number> {
  try {
    const program = buildProgram(io);
    const current = replaceFormerWords(words, io);
    rejectUnknownCommand(program, current[0]);
    await program.parseAsync(current, { from: "user" });
    return EXIT.done;
  } catch (error) {
    // Commander has printed its message, and help is not an error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (io.signal.aborted) return 130;
    if (isCommandError(error)) {
      printError(io, error.message, error.wayOut);
      return error.exitCode;
    }
    // An error of the scripts, such as a start that cannot succeed, has its way out too.
    const wayOut = error instanceof Error && "wayOut" in error ? String(error.wayOut) : "";
    printError(io, getMessage(error), wayOut);
    return EXIT.failed;
  }
}

/** Commander would treat the word as one of the default command. */
function rejectUnknownCommand(program: Command, word: string | undefined): void {
  if (word === undefined || word.startsWith("-")) return;
  const names = program.commands.flatMap((command) => [command.name(), ...command.aliases()]);
  if (names.includes(word)) return;
  throw new CommandError(EXIT.usage, `There is no command "${word.slice(0, 80)}".`, `Use one of ${names.join(", ")}.`);
}

function printError({ stderr, env }: CommandIo, message: string, wayOut: string): void {
  if (message === "") return;
  const text = stripControlCharacters(message);
  stderr.write(`${usesColor(stderr, env) ? paint(text, "red") : text}\n${wayOut === "" ? "" : `${wayOut}\n`}`);
}
