import type { Permission } from "@/lib/contract/access";
import { createScore } from "@/lib/score-match";

export interface PaletteCommand {
  /** Unique within the palette. */
  id: string;
  group:
    | "Open"
    | "Go to"
    | "Tools"
    | "Servers"
    | "Toolsets"
    | "Runs"
    | "Recent executions"
    | "Settings"
    | "Actions"
    | "Search";
  label: string;
  /** The text is data, such as names of tools or ids. */
  mono?: boolean;
  hint?: string;
  /** Further words that find the command. */
  keywords?: string;
  /** The command was made for this search, so it is always shown. */
  always?: true;
  /**
   * The permission that the command needs; without it the command is disabled and its hint names the role that has it.
   */
  needs?: Permission;
  run: () => void;
}

/** Groups that are found later come after the rest, so that Enter still runs the command that it selected before. */
const GROUP_ORDER: readonly PaletteCommand["group"][] = [
  "Open",
  "Actions",
  "Go to",
  "Tools",
  "Servers",
  "Toolsets",
  "Settings",
  "Recent executions",
  "Runs",
  "Search",
];

/**
 * Whether the first group stays the first, whatever is still being read.
 * @param first undefined where nothing matches
 */
export function isFirstSettled(
  first: PaletteCommand["group"] | undefined,
  pending: readonly PaletteCommand["group"][],
): boolean {
  const at = first === undefined ? GROUP_ORDER.length : GROUP_ORDER.indexOf(first);
  return pending.every((group) => GROUP_ORDER.indexOf(group) > at);
}

/** As many of a group as fit without scrolling for long. */
const MAX_PER_GROUP = 12;

/** Returns the palette's groups for a search: in order, best match first, empty groups left out. */
export function rankCommands(
  commands: readonly PaletteCommand[],
  search: string,
): { group: PaletteCommand["group"]; commands: PaletteCommand[] }[] {
  const toScore = createScore(search);
  const scored = commands
    .map((command) => ({ command, score: command.always ? 1 : toScore(command) }))
    .filter(({ score }) => score > 0);
  return GROUP_ORDER.map((group) => ({
    group,
    commands: scored
      .filter(({ command }) => command.group === group)
      .sort((one, other) => other.score - one.score)
      .slice(0, MAX_PER_GROUP)
      .map(({ command }) => command),
  })).filter((ranked) => ranked.commands.length > 0);
}
