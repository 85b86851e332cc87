import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { moveFileSync } from "../../../../scripts/move-file.mjs";
import { CHANGE_RULES } from "../../../lib/contract/change-rules";
import { RULE_SETTINGS, type RuleSettings } from "../../../lib/contract/change-verdict";
import { isPlainObject } from "../../../lib/contract/json";
import { getMessage } from "../../../lib/get-message";
import { canonicalJson } from "../../../lib/json/canonical-json";
import { isNestedDeeperThan } from "../../../lib/json/limits";
import { byName } from "../../../lib/schema/compare/compare-tool";
import { CommandError, EXIT, isCommandError, usageError } from "../command-error";

export const DEFAULT_BASELINE = "tools.baseline.json";
/** The limit of nesting levels in a tool. */
export const MAX_LEVELS = 1_000;
/** The nesting levels around the tools: the baseline and its list. */
const BASELINE_LEVELS = 2;
const MAX_BYTES = 32 * 1024 * 1024;

const baselineSchema = z.object({
  toolroomBaseline: z.literal(1),
  rules: z.record(z.string(), z.enum(RULE_SETTINGS)).default({}),
  tools: z.array(z.looseObject({ name: z.string() })),
});
export type Baseline = z.infer<typeof baselineSchema>;

/** Null where there is no such file. @throws CommandError */
export function readBaseline(file: string): Baseline | null {
  const text = readText(file);
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (isNestedDeeperThan(value, MAX_LEVELS + BASELINE_LEVELS)) {
      throw new CommandError(
        EXIT.unreachable,
        `The baseline's tools could not be listed: ${file} is nested deeper than ${MAX_LEVELS} levels.`,
        "Write a new one with: toolroom check --update-baseline",
      );
    }
    const baseline = baselineSchema.parse(value);
    checkRules(baseline.rules, file);
    return baseline;
  } catch (error) {
    if (isCommandError(error)) throw error;
    throw usageError(`${file} is not a baseline of tools.`, "Write a new one with: toolroom check --update-baseline");
  }
}

function readText(file: string): string | null {
  try {
    const text = readFileSync(file, "utf8");
    if (text.length > MAX_BYTES) throw usageError(`${file} is larger than 32 MiB.`);
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    if (isCommandError(error)) throw error;
    throw new CommandError(EXIT.usage, `${file} could not be read: ${getMessage(error)}`);
  }
}

/** @throws CommandError for an unknown rule */
export function checkRules(rules: RuleSettings, origin: string): void {
  const unknown = Object.keys(rules).find((rule) => !Object.hasOwn(CHANGE_RULES, rule));
  if (unknown === undefined) return;
  throw usageError(
    `${origin} names an unknown rule '${unknown.slice(0, 80)}'.`,
    `Rules: ${Object.keys(CHANGE_RULES).join(", ")}.`,
  );
}

/**
 * Writes the same text for the same tools: sorted by name, keys in one order, one key per line. Lists keep their order.
 * @returns whether the file changed
 */
export function writeBaseline(file: string, tools: readonly unknown[], rules: RuleSettings): boolean {
  const entries = [...byName(tools)].sort(([one], [other]) => (one < other ? -1 : 1));
  const listed = entries.map(([, entry]) => putNameFirst(entry));
  const sortedRules: unknown = JSON.parse(canonicalJson(rules));
  const content = { toolroomBaseline: 1, ...(Object.keys(rules).length > 0 && { rules: sortedRules }), tools: listed };
  const text = `${JSON.stringify(content, null, 2)}\n`;
  if (readText(file) === text) return false;
  const draft = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, text);
    moveFileSync(draft, file);
  } catch (error) {
    throw new CommandError(EXIT.usage, `${file} could not be written: ${getMessage(error)}`);
  }
  return true;
}

/** The lines at which a reader finds each tool, from 1. */
export function findToolLines(file: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const [index, line] of (readText(file) ?? "").split("\n").entries()) {
    const [, name] = /^ {6}"name": ("(?:[^"\\]|\\.)*"),?$/.exec(line) ?? [];
    if (name !== undefined) found.set(String(JSON.parse(name)), index + 1);
  }
  return found;
}

function putNameFirst(entry: Record<string, unknown>): unknown {
  const sorted: unknown = JSON.parse(canonicalJson(entry));
  if (!isPlainObject(sorted)) return sorted;
  const { name, ...others } = sorted;
  return { name, ...others };
}
