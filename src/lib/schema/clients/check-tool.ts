import type { CheckedClient, ClientSeverity } from "../../contract/client-verdict";
import type { ClientFinding, ClientRemedy } from "../../contract/client-verdict-schema";
import type { InteractionKind } from "../../contract/interaction-kinds";
import type { JsonSchema } from "../../contract/json";
import { formatCount, formatPlural } from "../../format/count";
import { schemaFor } from "../providers/provider-schema";
import { toStrictSchema } from "../providers/strict-schema";
import type { ClientCheck, ClientProfile, ClientRule } from "./client-profile";
import { CLIENT_SOURCES } from "./client-sources";
import { type SchemaSurvey, surveySchema } from "./survey-schema";

/** A tool as a client lists it. */
export interface CheckedTool {
  name: string;
  /** The name in the catalog. */
  catalogName: string;
  description: string;
  schema: JsonSchema;
  /** Whether it names an MCP App that shows its calls. */
  hasApp: boolean;
  /** The hints for clients in the list. */
  meta: Readonly<Record<string, unknown>>;
  /** Characters of the longest recorded result; null where it is not known. */
  longestResult: number | null;
  /** The input that the tool requested while it ran, except what the settings of its server answer. */
  asks: readonly ToolAsk[];
}

export interface ToolAsk {
  kind: InteractionKind;
  server: string;
  /** Users in the console answer where the client cannot, while a page is open. */
  usersAnswer: boolean;
}

/** A client's rules, and the name that it has for Toolroom. */
export interface ToolReader {
  client: CheckedClient;
  profile: ClientProfile;
  server: string;
}

/** The finding of a rule about a tool. */
interface Fault {
  /** A pointer into the tool's entry. */
  where: string;
  message: string;
  remedy: ClientRemedy | null;
}

export type RuleFinding = Omit<ClientFinding, "client" | "rule" | "tool" | "catalogTool"> & {
  check: ClientCheck["check"];
};

/** Names in a message: more are counted. */
const MAX_NAMED = 6;
const MAX_CHARS = 80;

export function findToolFaults(tool: CheckedTool, reader: ToolReader): RuleFinding[] {
  return reader.profile.rules.flatMap((rule) => {
    const fault = findFault(rule, tool, reader);
    return fault === null ? [] : [toFinding(rule, fault)];
  });
}

export function toFinding(rule: ClientRule, { message, ...fault }: Fault): RuleFinding {
  const { check, severity, source, note, breaksList } = rule;
  const whole = breaksList === true && check !== "tool-count" ? " One such tool makes the whole list unusable." : "";
  const end = note === undefined ? "" : ` ${note}`;
  return { check, severity, source: CLIENT_SOURCES[source], message: `${message}${whole}${end}`, ...fault };
}

/** Does the parts of a check that take long, and are the same for all clients. */
export function prepareTool({ schema }: CheckedTool): void {
  surveySchema(schema);
  listStrictReasons(schema);
}

function findFault(rule: ClientRule, tool: CheckedTool, reader: ToolReader): Fault | null {
  const { label } = reader.profile;
  switch (rule.check) {
    case "name-length":
      return checkNameLength(rule, tool, reader);
    case "name-characters":
      return checkCharacters(rule, tool, label);
    case "description-length":
      return checkDescription(rule, tool, label);
    case "result-length":
      return checkResult(rule, tool, label);
    case "tool-count":
    case "skill-name-length":
    case "skill-name-characters":
    case "skill-description-length":
      return null;
    case "strict":
      return checkStrict(tool, label);
    default:
      return checkSchema(rule, surveySchema(tool.schema), reader);
  }
}

const ACTIONS: Readonly<Record<ClientSeverity, string>> = {
  refused: "refuses it",
  dropped: "leaves it out",
  cut: "rewrites it",
  warns: "advises against it",
};

function checkNameLength(
  { max, of, severity }: Extract<ClientRule, { check: "name-length" }>,
  { name }: CheckedTool,
  { profile, server }: ToolReader,
): Fault | null {
  const added = of === "list" ? 0 : of === "combined" ? server.length : formatPrefix(profile, server).length;
  if (name.length + added <= max) return null;
  const length = formatCount(name.length + added);
  const counted =
    of === "list" ? "" : of === "combined" ? ` with the name ${server}` : ` as ${cut(formatPrefix(profile, server))}…`;
  return {
    where: "/name",
    message: `The name has ${length} characters${counted}; ${profile.label} takes ${formatCount(max)} and ${ACTIONS[severity]}.`,
    remedy: { kind: "rename", text: `Give it a name of at most ${formatCount(max - added)} characters in a toolset.` },
  };
}

const formatPrefix = ({ prefix }: ClientProfile, server: string): string => prefix.replace("{server}", server);

function checkCharacters(
  { allowed, first, severity }: Extract<ClientRule, { check: "name-characters" }>,
  { name }: CheckedTool,
  label: string,
): Fault | null {
  const isUsable = new RegExp(`^[${first ?? allowed}][${allowed}]*$`).test(name);
  if (isUsable) return null;
  return {
    where: "/name",
    message: `The name has characters beside ${allowed}; ${label} ${ACTIONS[severity]}.`,
    remedy: { kind: "rename", text: `Give it a name of ${allowed} in a toolset.` },
  };
}

function checkDescription(
  { max, severity }: Extract<ClientRule, { check: "description-length" }>,
  { description }: CheckedTool,
  label: string,
): Fault | null {
  if (description.length <= max) return null;
  return {
    where: "/description",
    message: `The description has ${formatCount(description.length)} characters; ${label} takes ${formatCount(max)} and ${severity === "cut" ? "cuts the rest" : ACTIONS[severity]}.`,
    remedy: { kind: "describe", text: `Shorten it to ${formatCount(max)} characters in a toolset.` },
  };
}

function checkResult(
  { max: usual, raisedBy }: Extract<ClientRule, { check: "result-length" }>,
  { longestResult, meta }: CheckedTool,
  label: string,
): Fault | null {
  const hint = raisedBy === undefined ? undefined : meta[raisedBy.key];
  const max = typeof hint === "number" ? Math.max(usual, Math.min(hint, raisedBy?.most ?? usual)) : usual;
  if (longestResult === null || longestResult <= max) return null;
  return {
    where: "",
    message: `A recent result had about ${formatCount(longestResult)} characters; ${label} passes on ${formatCount(max)}.`,
    remedy: {
      kind: "lens",
      text:
        raisedBy === undefined
          ? "Shorten its results with a lens."
          : `Shorten its results with a lens, or raise the limit in a toolset: the hint ${raisedBy.key}, up to ${formatCount(raisedBy.most)}.`,
    },
  };
}

const strictReasons = new WeakMap<JsonSchema, readonly string[]>();

function checkStrict({ schema }: CheckedTool, label: string): Fault | null {
  const [reason, ...others] = listStrictReasons(schema);
  if (reason === undefined) return null;
  const more = others.length === 0 ? "" : ` and ${formatPlural(others.length, "further reason")}`;
  return {
    where: "/inputSchema",
    message: `${label} cannot take the schema: ${reason}${more}.`,
    remedy: { kind: "schema", text: "Send it without strict mode." },
  };
}

function listStrictReasons(schema: JsonSchema): readonly string[] {
  const before = strictReasons.get(schema);
  if (before !== undefined) return before;
  const strict = toStrictSchema(schemaFor("openai", schema));
  const reasons = strict.schema === null ? strict.reasons : [];
  strictReasons.set(schema, reasons);
  return reasons;
}

type SchemaRule = Extract<
  ClientRule,
  { check: "root-keywords" | "property-names" | "keywords" | "array-items" | "references" }
>;

function checkSchema(rule: SchemaRule, survey: SchemaSurvey, reader: ToolReader): Fault | null {
  const found = findInSchema(rule, survey);
  if (found === null) return null;
  return {
    where: `/inputSchema${found.pointer}`,
    message: found.message.replaceAll("{client}", reader.profile.label),
    remedy: findSchemaRemedy(rule.check, reader),
  };
}

/** The names of parameters stay in every form, since calls contain them. */
function findSchemaRemedy(check: SchemaRule["check"], { client, profile }: ToolReader): ClientRemedy | null {
  if (profile.kind === "api") {
    const text = `Toolroom's own requests have a form that ${profile.label} takes: see Provider formats.`;
    return { kind: "schema", text };
  }
  if (check === "property-names") return null;
  return {
    kind: "schema",
    text: `Connect it with ?for=${client} in the address: then it gets a schema that it passes on whole.`,
  };
}

interface Found {
  pointer: string;
  /** The message, with `{client}` for the client's name. */
  message: string;
}

function findInSchema(rule: SchemaRule, survey: SchemaSurvey): Found | null {
  switch (rule.check) {
    case "root-keywords":
      return findRootKeywords(rule.keywords, rule.severity, survey);
    case "property-names":
      return findNames(rule, survey);
    case "keywords":
      return findKeywords(rule, survey);
    case "array-items":
      return findOpenArrays(survey);
    case "references":
      return findReferences(survey);
  }
}

function findRootKeywords(
  keywords: readonly string[],
  severity: ClientSeverity,
  { rootKeywords }: SchemaSurvey,
): Found | null {
  const found = keywords.filter((keyword) => rootKeywords.has(keyword));
  if (found.length === 0) return null;
  return {
    pointer: `/${found[0]}`,
    message: `The parameters have ${listNames(found)} at the root; {client} ${severity === "dropped" ? "rewrites it" : ACTIONS[severity]}.`,
  };
}

function findNames(
  { accepted, words, depth }: Extract<ClientRule, { check: "property-names" }>,
  { names }: SchemaSurvey,
): Found | null {
  const found = names.filter(({ name, isTop }) => (isTop || depth === "all") && !accepted.test(name));
  const [first] = found;
  if (first === undefined) return null;
  return {
    pointer: first.pointer,
    message: `{client} does not accept the parameter names ${listNames(found.map(({ name }) => name))}: it takes ${words}.`,
  };
}

/** Keywords that no model needs to know. */
const UNNOTICED: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$comment",
  "$vocabulary",
  "$anchor",
  "title",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
]);

function findKeywords(rule: Extract<ClientRule, { check: "keywords" }>, { keywords }: SchemaSurvey): Found | null {
  const isDropped = (keyword: string): boolean =>
    "kept" in rule ? !rule.kept.has(keyword) && !UNNOTICED.has(keyword) : rule.dropped.includes(keyword);
  const found = [...keywords.keys()].filter(isDropped);
  const [first] = found;
  if (first === undefined) return null;
  return { pointer: keywords.get(first) ?? "", message: `{client} does not tell the model ${listNames(found)}.` };
}

function findOpenArrays({ openArrays }: SchemaSurvey): Found | null {
  const [first] = openArrays;
  if (first === undefined) return null;
  return { pointer: first, message: "An array does not say what its items are; {client} refuses it." };
}

function findReferences({ keywords }: SchemaSurvey): Found | null {
  const pointer = keywords.get("$ref");
  return pointer === undefined
    ? null
    : { pointer, message: "The parameters have references (`$ref`), which {client} passes on." };
}

/** Names that a server chose, cut. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).map((name) => `\`${cut(name)}\``);
  const more = names.length > shown.length ? ` and ${formatCount(names.length - shown.length)} more` : "";
  return shown.join(", ") + more;
}

const cut = (text: string): string => (text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text);
