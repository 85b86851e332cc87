import { type Command, InvalidArgumentError } from "commander";
import { DURATION_NAMES, SIZE_NAMES } from "../../lib/contract/execution-facets";
import { EXECUTION_KINDS } from "../../lib/contract/execution-kind";
import { usageError } from "./command-error";
import { collect } from "./define-command";

/** The filters of executions, as the REST API takes them. */
export interface FilterOptions {
  tool?: string[];
  kind?: string[];
  status?: string[];
  source?: string[];
  error?: string[];
  tag?: string[];
  duration?: string[];
  size?: string[];
  view?: string;
  user?: string;
  server?: string;
  client?: string;
  toolset?: string;
  rule?: string;
  run?: string;
  pinned?: boolean;
  search?: string;
  message?: string;
  since?: string;
  until?: string;
}

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Adds the filters of the console's list, under the same names. */
export function addFilterOptions(command: Command): Command {
  return command
    .option("--tool <name>", "calls of this tool; may be repeated", collect)
    .option("--kind <kind>", `one of ${EXECUTION_KINDS.join(", ")}; may be repeated`, collect)
    .option(
      "--status <status>",
      "such as running, or failed: error, timed_out, interrupted and invalid; may be repeated",
      collect,
    )
    .option("--source <source>", "such as console, gateway, agent or api; may be repeated", collect)
    .option("--error <kind>", "such as timeout or invalid_arguments; may be repeated", collect)
    .option("--tag <tag>", "calls of tools with this tag; may be repeated", collect)
    .option("--duration <bucket>", `one of ${DURATION_NAMES.join(", ")}; may be repeated`, collect)
    .option("--size <bucket>", `of the result: one of ${SIZE_NAMES.join(", ")}; may be repeated`, collect)
    .option("--user <id>", "calls of this user")
    .option("--server <name>", "calls of this server's tools, resources and prompts")
    .option("--client <program>", "calls of this program, such as claude-code")
    .option("--toolset <name>", "calls through this toolset")
    .option("--rule <id>", "calls that this rule decided, or would have")
    .option("--run <id>", "calls of this run")
    .option("--pinned", "pinned calls")
    .option("--search <text>", "three or more characters of arguments, result or error")
    .option("--message <text>", "calls that failed with this message: its first 200 characters, exactly")
    .option("--since <time>", "from this time on: 2026-12-24T08:00:00Z, 2026-12-24, or 2h, 7d ago")
    .option("--until <time>", "up to this time");
}

/** The options of a command that reads what a saved view shows. */
export const addViewOption = (command: Command): Command =>
  command.option("--view <name>", "the filters of this saved view, which other options replace");

/** @param now epoch milliseconds, from which `2h` counts back */
export function toFilterQuery({ search, message, since, until, ...others }: FilterOptions, now: number) {
  return {
    tool: others.tool,
    kind: others.kind,
    status: others.status,
    source: others.source,
    errorKind: others.error,
    tag: others.tag,
    duration: others.duration,
    size: others.size,
    ...(others.view !== undefined && { view: others.view, zone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
    user: others.user,
    server: others.server,
    client: others.client,
    toolset: others.toolset,
    rule: others.rule,
    run: others.run,
    pinned: others.pinned,
    q: search,
    message,
    since: since === undefined ? undefined : parseTime(since, "since", now),
    until: until === undefined ? undefined : parseTime(until, "until", now),
  };
}

/** @throws CommandError that names the option */
export function parseTime(text: string, option: string, now: number): number {
  const [, count, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text.trim()) ?? [];
  if (count !== undefined) return now - Number(count) * (UNITS[unit] ?? 0);
  if (/^\d{10,15}$/.test(text)) return Number(text);
  // A day or a time without an offset is the user's own.
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00`) : Date.parse(text);
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(at)) return at;
  throw usageError(`--${option} must be a time such as 2026-12-24T08:00:00Z, or 2h, 7d for that long ago.`);
}

export function parseLimit(text: string): number {
  const limit = Number(text);
  if (/^\d{1,6}$/.test(text) && limit > 0) return limit;
  throw new InvalidArgumentError("It must be a number above 0.");
}
