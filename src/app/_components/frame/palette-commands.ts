import type { Permission } from "@/lib/contract/access";
import { createWordMatcher } from "@/lib/match-words";

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
  /** Set as data: names of tools, ids. */
  mono?: boolean;
  hint?: string;
  /** Found by these as well. */
  keywords?: string;
  /** It was made for this search. */
  always?: true;
  /** Without this permission it is disabled, and its hint says which role has it. */
  needs?: Permission;
  run: () => void;
}

/** Groups that are found later stand below the rest, so that Enter runs what it would have run before. */
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

/** As many of a group as fit without scrolling for long. */
const MAX_PER_GROUP = 12;

/** 0 for no match. A label that begins so beats one that contains it, beats its keywords, beats letters in order. */
export function scoreMatch(command: Pick<PaletteCommand, "label" | "keywords" | "hint">, search: string): number {
  const wanted = search.trim().toLowerCase();
  if (wanted === "") return 1;
  const label = command.label.toLowerCase();
  if (label === wanted) return 6;
  if (label.startsWith(wanted)) return 5;
  if (label.includes(wanted)) return 4;
  if (createWordMatcher(wanted)(label, command.keywords, command.hint)) return 3;
  return isSubsequence(wanted.replace(/\s+/g, ""), label) ? 1 : 0;
}

function isSubsequence(letters: string, text: string): boolean {
  let at = 0;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** Returns the palette's groups for a search: in order, best match first, empty groups left out. */
export function rankCommands(
  commands: readonly PaletteCommand[],
  search: string,
): { group: PaletteCommand["group"]; commands: PaletteCommand[] }[] {
  const scored = commands
    .map((command) => ({ command, score: command.always ? 1 : scoreMatch(command, search) }))
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
