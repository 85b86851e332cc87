import { isPlainObject, readOwn } from "./json";
import { describeValue, type Problem } from "./problem";
import { type DeprecatedKey, TOOL_NAME_PATTERN, type ToolDefinition } from "./tool-definition";
import type { Deprecation, MarkedFacts, ToolFacts } from "./tool-facts-schema";

export type { Deprecation, ToolFacts } from "./tool-facts-schema";

// The table and the functions above `readDeprecation` are about every fact, and are what other code calls. A new fact joins them here.

/** The fields of a tool that marks read; a list of another kind leaves out those that it does not know. */
type Marked = Partial<MarkedFacts & { enabled: boolean }>;

interface ToolMark {
  word: string;
  /** One sentence. */
  means: string;
  tone: "neutral" | "warn";
  /** Shown above the tool and its calls, where a badge has too few words. */
  notice?: MarkNotice;
}

interface MarkNotice {
  title: string;
  /** The tool to use instead, by its name in the catalog; null for none. */
  successor: string | null;
  /** A text of users; null for none. */
  note: string | null;
}

/** The marks of a tool that its callers should know, strongest first. Filters, badges, notices and the palette read this table. */
const MARKS = {
  disabled: ({ enabled }: Marked): ToolMark | null =>
    enabled === false ? { word: "disabled", means: "Calls are refused until it is enabled", tone: "neutral" } : null,
  held: ({ held }: Marked): ToolMark | null =>
    held
      ? {
          word: held === "open" ? "change to review" : held === "blocked" ? "change blocked" : "change ignored",
          means: "Its server changed it: calls are refused until the change is approved",
          tone: "warn",
        }
      : null,
  deprecated: ({ deprecation }: Marked): ToolMark | null =>
    deprecation
      ? {
          word: "deprecated",
          means: describeDeprecation(deprecation),
          tone: "warn",
          notice: { title: "This tool is deprecated", ...deprecation },
        }
      : null,
};

export type ToolMarkName = keyof typeof MARKS;
export const TOOL_MARKS = Object.keys(MARKS) as readonly ToolMarkName[];

export const hasMark = (tool: Marked, name: ToolMarkName): boolean => MARKS[name](tool) !== null;

export function listMarks(tool: Marked): (ToolMark & { name: ToolMarkName })[] {
  return TOOL_MARKS.flatMap((name) => {
    const mark = MARKS[name](tool);
    return mark === null ? [] : [{ name, ...mark }];
  });
}

/** The facts that are in the definition itself. */
export function readFacts(definition: ToolDefinition): Pick<ToolFacts, "deprecation"> {
  return { deprecation: readDeprecation(definition) };
}

/** @returns what is wrong with the facts of a definition that may be anything */
export function checkFacts(definition: Record<string, unknown>): Problem[] {
  return checkDeprecated(definition);
}

/**
 * The sentence that models, clients and users read first about the tool; empty where no fact says anything.
 * @param getName the name under which the reader knows a tool of the catalog
 */
export function describeFacts(
  definition: Pick<ToolDefinition, "deprecated">,
  getName?: (name: string) => string,
): string {
  const deprecation = readDeprecation(definition);
  return deprecation === null ? "" : describeDeprecation(deprecation, getName);
}

/** The description as models and clients get it: its facts are the first sentences. @param getName as in `describeFacts` */
export function toSentDescription(
  definition: Pick<ToolDefinition, "description" | "deprecated">,
  getName?: (name: string) => string,
): string {
  return [describeFacts(definition, getName), definition.description].filter(Boolean).join(" ");
}

/** A changed key of a definition as a sentence; null for a key that holds no fact. @param quote cuts texts of users */
export function describeFactChange(key: string, is: ToolDefinition, quote: (text: string) => string): string | null {
  if (key !== "deprecated") return null;
  const deprecation = readDeprecation(is);
  if (deprecation === null) return "the tool is no longer deprecated";
  const { successor, note } = deprecation;
  return `the tool is deprecated${successor === null ? "" : ` in favor of ${quote(successor)}`}${note === null ? "" : `: ${quote(note)}`}`;
}

export const MAX_DEPRECATION_NOTE_CHARS = 1000;

/** Null for a tool that is not deprecated. */
export function readDeprecation({ deprecated }: Pick<ToolDefinition, "deprecated">): Deprecation | null {
  if (deprecated === true) return { successor: null, note: null };
  if (typeof deprecated === "string") return { successor: null, note: readText(deprecated) };
  if (!isPlainObject(deprecated)) return null;
  const { successor, note } = deprecated;
  return { successor: readText(successor), note: readText(note) };
}

/** The key of a definition for a deprecation. */
export function toDeprecatedKey({ successor, note }: Deprecation): DeprecatedKey {
  if (successor === null && note === null) return true;
  return { ...(successor === null ? {} : { successor }), ...(note === null ? {} : { note }) };
}

/** `Deprecated: use search_v2 instead.` @param getName as in `describeFacts` */
function describeDeprecation({ successor }: Deprecation, getName: (name: string) => string = (name) => name) {
  return successor === null ? "Deprecated." : `Deprecated: use ${getName(successor)} instead.`;
}

function checkDeprecated(definition: Record<string, unknown>): Problem[] {
  const deprecated = readOwn(definition, "deprecated");
  if (deprecated === undefined || typeof deprecated === "boolean" || typeof deprecated === "string") return [];
  if (!isPlainObject(deprecated)) {
    const message = `must be true, a note, or an object with successor and note, got ${describeValue(deprecated)}`;
    return [{ path: "deprecated", message }];
  }
  const successor = readOwn(deprecated, "successor");
  const note = readOwn(deprecated, "note");
  const problems: Problem[] = [];
  if (successor !== undefined && !(typeof successor === "string" && TOOL_NAME_PATTERN.test(successor))) {
    problems.push({
      path: "deprecated.successor",
      message: `must be the name of a tool, got ${describeValue(successor)}`,
    });
  } else if (successor !== undefined && successor === readOwn(definition, "name")) {
    problems.push({ path: "deprecated.successor", message: "must be another tool" });
  }
  if (note !== undefined && !(typeof note === "string" && note.length <= MAX_DEPRECATION_NOTE_CHARS)) {
    const message = `must be a text of at most ${MAX_DEPRECATION_NOTE_CHARS} characters`;
    problems.push({ path: "deprecated.note", message });
  }
  return problems;
}

function readText(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}
