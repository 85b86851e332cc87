import { type Command, InvalidArgumentError } from "commander";
import type { RetentionFinding, RetentionPreview, RetentionRule, RetentionState } from "../../lib/contract/retention";
import { formatBytes } from "../../lib/format/bytes";
import { retentionOperations } from "../features/retention/retention-operations";
import { describeRetention, formatLimits, formatScope } from "../features/retention/retention-output";
import { openApi } from "./api-client";
import { usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { addOperationCommands, writeParts } from "./operation-commands";
import { formatTable, toLine, toTableStyle, write, writeJson } from "./output";

interface RuleOptions extends ServerOptions {
  days?: number;
  count?: number;
  size?: number;
  keep?: boolean;
  remove?: boolean;
}

const SCOPES = ["tool", "server", "source", "other", "runs"] as const;
const UNITS: Readonly<Record<string, number>> = { "": 1, B: 1, KIB: 2 ** 10, MIB: 2 ** 20, GIB: 2 ** 30, TIB: 2 ** 40 };

export function addRetentionCommands(program: Command, io: CommandIo): void {
  const retention = addOperationCommands(program, retentionOperations, io);
  const preview = defineCommand(retention, {
    syntax: "preview [scope] [name]",
    summary: "Count what the rules would delete now; with a scope, as set would change them",
    examples: [
      ["toolroom retention preview", "the saved rules"],
      ["toolroom retention preview tool get_weather --days 7", "before the rule is set"],
    ],
  });
  addServerOptions(addLimits(preview), "print the preview as POST /api/v1/retention/preview has it").action(
    (scope: string | undefined, name: string | undefined, options: RuleOptions) =>
      previewRetention([scope, name], options, io),
  );

  const set = defineCommand(retention, {
    syntax: "set <scope> [name]",
    summary: "Set the rule of a scope, and delete what is beyond its limits",
    details:
      `Scopes: ${SCOPES.join(", ")}; a tool, server or source has a name, runs may have a source. A call follows the rule of its tool, ` +
      "its server, its source or other calls: the first that there is. Deleted calls cannot be brought back: see toolroom retention preview.",
    examples: [
      ["toolroom retention set other --days 90 --size 2GiB", "all calls without a rule of their own"],
      ["toolroom retention set tool get_weather --keep", "keep them all"],
      ["toolroom retention set runs --remove", "without a rule, runs are kept"],
    ],
  });
  addServerOptions(addLimits(set), "print the state as PUT /api/v1/retention has it").action(
    (scope: string, name: string | undefined, options: RuleOptions) => setRetention([scope, name], options, io),
  );
}

function addLimits(command: Command): Command {
  return command
    .option("--days <number>", "delete those that are older", parseCount)
    .option("--count <number>", "delete more than these, the oldest first", parseCount)
    .option("--size <bytes>", "delete more than this, the oldest first: 500MiB, 2GiB", parseSize)
    .option("--keep", "a rule without limits: keep all")
    .option("--remove", "remove the rule");
}

function parseCount(text: string): number {
  if (/^\d{1,15}$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 on.");
}

function parseSize(text: string): number {
  const [, number = "", unit = ""] = /^(\d{1,15}(?:\.\d{1,3})?)\s*([a-z]*)$/i.exec(text) ?? [];
  const factor = UNITS[unit.toUpperCase()];
  if (number !== "" && factor !== undefined) return Math.round(Number(number) * factor);
  throw new InvalidArgumentError("It must be a number of bytes, or one with KiB, MiB, GiB or TiB.");
}

type Place = readonly [scope: string | undefined, name: string | undefined];

/** @returns the rules with that of a place changed @throws CommandError that names the option */
function changeRules(rules: readonly RetentionRule[], [scope, name]: Place, options: RuleOptions): RetentionRule[] {
  const known = SCOPES.find((each) => each === scope);
  if (known === undefined) throw usageError(`"${scope}" is no scope: use ${SCOPES.join(", ")}.`);
  const { days, count, size, keep, remove } = options;
  const limits = {
    ...(days === undefined ? {} : { maxAgeDays: days }),
    ...(count === undefined ? {} : { maxCount: count }),
    ...(size === undefined ? {} : { maxBytes: size }),
  };
  const hasLimits = Object.keys(limits).length > 0;
  if (Number(hasLimits) + Number(keep === true) + Number(remove === true) !== 1) {
    throw usageError("Give limits (--days, --count, --size), or --keep, or --remove.");
  }
  const others = rules.filter((rule) => rule.scope !== known || rule.name !== name);
  if (remove !== true) return [...others, { scope: known, ...(name === undefined ? {} : { name }), ...limits }];
  if (others.length < rules.length) return others;
  throw usageError(`There is no rule of ${name === undefined ? known : `${known} ${toLine(name)}`}.`);
}

async function previewRetention(place: Place, options: RuleOptions, io: CommandIo): Promise<void> {
  const api = await openApi(options, io);
  const { policy } = await api.get<RetentionState>("/retention");
  const rules = place[0] === undefined ? policy.rules : changeRules(policy.rules, place, options);
  const text = await api.sendText("POST", "/retention/preview", JSON.stringify({ rules }));
  if (options.json) return await writeJson(io, text);
  const { findings } = JSON.parse(text) as RetentionPreview;
  if (findings.length === 0) return await write(io.stdout, "No rules: nothing would be deleted.\n");
  const toAmount = ({ count, bytes }: RetentionFinding["deletes"]): string => `${count} (${formatBytes(bytes)})`;
  const rows = findings.map(({ rule, deletes, keeps, exempt }) => [
    formatScope(rule),
    formatLimits(rule),
    toAmount(deletes),
    toAmount(keeps),
    String(exempt),
  ]);
  const head = ["RULE", "KEEPS", "WOULD DELETE", "WOULD KEEP", "EXEMPT"];
  await write(io.stdout, formatTable(head, rows, toTableStyle(io)));
}

async function setRetention(place: Place, options: RuleOptions, io: CommandIo): Promise<void> {
  const api = await openApi(options, io);
  const { policy, revision } = await api.get<RetentionState>("/retention");
  const body = JSON.stringify({ rules: changeRules(policy.rules, place, options) });
  const text = await api.sendText("PUT", `/retention?revision=${revision}`, body);
  if (options.json) await writeJson(io, text);
  else await writeParts(describeRetention(JSON.parse(text) as RetentionState), io);
}
