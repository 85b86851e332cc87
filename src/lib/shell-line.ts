import { quoteForPowerShell, toPowerShellLine } from "./quote-for-powershell";
import { quoteForShell } from "./quote-for-shell";

/** `posix`: bash, zsh and sh. */
export const SHELLS = ["posix", "powershell"] as const;
export type Shell = (typeof SHELLS)[number];

/** A command with its environment. */
export interface ShellCommand {
  command: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** One line for a terminal. In PowerShell the variables stay set in that window. */
export function toShellLine(shell: Shell, { command, args, env = {} }: ShellCommand): string {
  const variables = Object.entries(env);
  if (shell === "posix") {
    const settings = variables.map(([name, value]) => `${name}=${toWord(value)}`);
    return settings.concat([command, ...args].map(toWord)).join(" ");
  }
  const settings = variables.map(([name, value]) => `$env:${name} = ${quoteForPowerShell(value)}`);
  return [...settings, toPowerShellLine(command, args)].join("; ");
}

const toWord = (word: string): string => (/^[A-Za-z0-9_/.:@=+-]+$/.test(word) ? word : quoteForShell(word));
