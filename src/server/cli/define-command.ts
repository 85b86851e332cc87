import type { Command } from "commander";
import type { ServerChoice } from "./find-address";

export interface CommandTexts {
  /** The name and its arguments: `show <id>`. */
  syntax: string;
  /** One line of the list of commands. */
  summary: string;
  /** What `--help` adds to the summary. */
  details?: string;
  /** Two or more command lines, each with its effect. */
  examples: readonly (readonly [line: string, does: string])[];
  /** Runs when no command is given. */
  isDefault?: true;
}

/** A command with its help. */
export function defineCommand(
  parent: Command,
  { syntax, summary, details, examples, isDefault }: CommandTexts,
): Command {
  const wide = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, does]) =>
    wide > 60 ? `  # ${does}\n  ${line}` : `  ${line.padEnd(wide)}  # ${does}`,
  );
  return parent
    .command(syntax, { isDefault: isDefault === true })
    .summary(summary)
    .description(details === undefined ? `${summary}.` : `${summary}.\n\n${details}`)
    .addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
}

/** For commands that speak to a running Toolroom. */
export type ServerOptions = ServerChoice & { json?: boolean };

/** @param json what `--json` prints; absent: the command has no such option */
export function addServerOptions(command: Command, json?: string): Command {
  if (json !== undefined) command.option("--json", json);
  return command
    .option(
      "--toolroom <address>",
      "the Toolroom to use; default: TOOLROOM_URL, else the one that uses the data folder",
    )
    .option("--data <folder>", "use the running Toolroom whose data is in this folder");
}

/** For an option that may be repeated. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}
