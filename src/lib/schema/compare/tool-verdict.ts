import { getSeverity } from "../../contract/change-rules";
import {
  findStrongest,
  type RuleFinding,
  type RuleSettings,
  type SchemaOutcome,
  type SchemaVerdict,
  SEVERITIES,
  type Witness,
} from "../../contract/change-verdict";
import { isPlainObject, type JsonSchema, readOwn } from "../../contract/json";
import { equalJson } from "../../json/equal-json";
import { type CheckValue, type FoundWitness, findHolding, findWitnesses, toPattern } from "../witness/find-witnesses";
import type { Change } from "./change-list";
import { listChanges } from "./compare-tool";
import { CONVENTION } from "./schema-comparison";

/** More findings of one tool are left out. */
const MAX_FINDINGS = 50;

export interface VerdictOptions {
  rules: RuleSettings;
  check: CheckValue;
}

/** The schema verdict on two entries of one tool. Undefined: the list has no such tool. */
export function getToolVerdict(tool: string, was: unknown, is: unknown, options: VerdictOptions): SchemaVerdict {
  if (was === undefined || is === undefined) return checkPresence(tool, was === undefined, options.rules);
  if (equalJson(was, is)) return { tool, change: "unchanged", outcome: "unchanged", severity: null, findings: [] };
  const changes = listChanges(was, is).list();
  const witnesses = new Map([
    ...witnessSide("input", was, is, changes, options.check),
    ...witnessSide("output", was, is, changes, options.check),
  ]);
  const findings = changes
    .flatMap((change) => toFinding(change, witnesses.get(change) ?? null, options.rules))
    .sort((one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity));
  return {
    tool,
    change: "changed",
    outcome: findOutcome(changes),
    severity: findStrongest(findings.map(({ severity }) => severity)),
    findings: findings.slice(0, MAX_FINDINGS),
  };
}

/** The verdict on a change that could not be checked. */
export function getUnknownVerdict(tool: string, reason: string, rules: RuleSettings): SchemaVerdict {
  const message = `the change could not be checked: ${reason}`;
  const change: Change = { weight: "breaking", sentence: message, side: "tool", rule: "tool.unjudged", path: "" };
  const findings = toFinding(change, null, rules);
  return { tool, change: "changed", outcome: "breaking", severity: findings[0]?.severity ?? null, findings };
}

function checkPresence(tool: string, isNew: boolean, rules: RuleSettings): SchemaVerdict {
  const rule = isNew ? "tool.added" : "tool.removed";
  const severity = getSeverity(rule, rules);
  const message = isNew ? "the tool was added" : "the tool was removed";
  const finding = { rule, side: "tool", path: "", message, isBreaking: !isNew, witness: null } as const;
  return {
    tool,
    change: isNew ? "added" : "removed",
    outcome: isNew ? "compatible" : "breaking",
    severity,
    findings: severity === null ? [] : [{ ...finding, severity }],
  };
}

function toFinding(change: Change, witness: Witness | null, rules: RuleSettings): RuleFinding[] {
  const severity = getSeverity(change.rule, rules);
  if (severity === null) return [];
  const { rule, side, path, sentence, weight } = change;
  return [{ rule, severity, side, path, message: sentence, isBreaking: weight === "breaking", witness }];
}

function findOutcome(changes: readonly Change[]): SchemaOutcome {
  const has = (weight: string): boolean => changes.some((change) => change.weight === weight);
  if (has("breaking")) return "breaking";
  if (changes.some(({ rule }) => rule === CONVENTION)) return "by-convention";
  return has("additive") ? "compatible" : "wording";
}

const SIDES = {
  input: { key: "inputSchema", direction: "sent" },
  output: { key: "outputSchema", direction: "answered" },
} as const;
const NOT_DESCRIBED: ReadonlySet<string> = new Set(["property-removed", "property-renamed"]);

/** The witness of each breaking change of one side, where one was found. */
function witnessSide(
  side: keyof typeof SIDES,
  was: unknown,
  is: unknown,
  changes: readonly Change[],
  check: CheckValue,
): Map<Change, Witness> {
  const breaking = changes.filter((change) => change.side === side && change.weight === "breaking");
  const before = readSchema(was, side);
  const after = readSchema(is, side);
  const given = new Map<Change, Witness>();
  if (breaking.length === 0) return given;
  const open = new Set(breaking);
  let unassigned: FoundWitness | null = null;
  for (const witness of findWitnesses({ before, after, direction: SIDES[side].direction }, check)) {
    const explained = [...open].filter((change) => explains(witness, change));
    for (const change of explained) {
      given.set(change, toWitness(witness));
      open.delete(change);
    }
    if (explained.length === 0) unassigned ??= witness;
    if (open.size === 0) return given;
  }
  // A witness that belongs to no single change still proves that the side broke.
  const [next] = open;
  if (given.size === 0 && unassigned !== null && next !== undefined) {
    given.set(next, toWitness(unassigned));
    open.delete(next);
  }
  const gone = [...open].filter(({ rule }) => NOT_DESCRIBED.has(rule.slice(rule.indexOf(".") + 1)));
  if (gone.length === 0) return given;
  const held = findHolding(
    before,
    gone.map(({ path }) => path),
    check,
  );
  for (const change of gone) {
    const witness = held.get(change.path);
    if (witness !== undefined) given.set(change, witness);
  }
  return given;
}

const toWitness = ({ value, effect }: Witness): Witness => ({ value, effect });

function readSchema(entry: unknown, side: keyof typeof SIDES): JsonSchema {
  const schema = isPlainObject(entry) ? readOwn(entry, SIDES[side].key) : undefined;
  return isPlainObject(schema) ? schema : {};
}

/** Whether the value is refused at the changed part, or inside it. */
function explains({ paths }: FoundWitness, { path }: Change): boolean {
  const wanted = toPattern(path).replace(/\.?\*$/, "");
  return paths.some(
    (each) => each === wanted || wanted === "" || each.startsWith(`${wanted}.`) || each.startsWith(`${wanted}[`),
  );
}
