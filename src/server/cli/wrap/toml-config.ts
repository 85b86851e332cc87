import { parse } from "smol-toml";
import { isPlainObject } from "../../../lib/contract/json";
import {
  type ConfigFormat,
  type Edit,
  findEol,
  findLineEnd,
  isBlank,
  type SectionPath,
  UneditableText,
} from "./config-format";
import { readStatements, type Statement, writeKey } from "./toml-statements";

/** TOML: a server is the tables and pairs whose keys begin with its own. */
export const TOML_CONFIG: ConfigFormat = {
  parse: (text) => {
    try {
      return parse(text);
    } catch (error) {
      const [first = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
      const line = (error as { line?: unknown }).line;
      throw new Error(
        `${typeof line === "number" ? `line ${line}: ` : ""}${first.replace("Invalid TOML document: ", "")}`,
      );
    }
  },

  listServers(text, path) {
    const servers = findTable(text, path);
    return servers === null ? null : Object.entries(servers).map(([name, value]) => ({ name, value }));
  },

  writeServer(text, path, at, { name, value }) {
    const [{ statement }] = needRuns(text, path, [at]);
    const eol = findEol(text);
    const pairs = Object.entries(value).map(([key, each]) => `${writeKey([key])} = ${writeValue(each)}`);
    if (statement.isHeader) return [`[${writeKey([...path, name])}]`, ...pairs].join(eol);
    return `${writeKey([...path, name].slice(statement.header.length))} = { ${pairs.join(", ")} }`;
  },

  quoteServers: (text, path, positions) =>
    positions.map((at) =>
      needRuns(text, path, [at])
        .map(({ start, end }) => text.slice(start, end).trimEnd())
        .join(findEol(text).repeat(2)),
    ),

  replaceServers(text, path, positions, written) {
    const [first, ...others] = needRuns(text, path, [...positions]);
    const eol = findEol(text);
    const ending = /\r?\n$/.exec(text.slice(first.start, first.end))?.[0] ?? "";
    const separator = first.statement.isHeader ? eol + eol : eol;
    const replacement = written.length === 0 ? "" : written.join(separator) + ending;
    return [
      written.length === 0 ? removeRun(text, first) : { start: first.start, end: first.end, text: replacement },
      ...others.map((run) => removeRun(text, run)),
    ];
  },
};

function findTable(text: string, path: SectionPath): Record<string, unknown> | null {
  let found: unknown = parse(text);
  for (const key of path) found = isPlainObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return isPlainObject(found) ? found : null;
}

/** Lines that belong to one server and follow each other, with comments between them. */
interface Run {
  start: number;
  end: number;
  /** The first statement of it. */
  statement: Statement;
}

function needRuns(text: string, path: SectionPath, positions: readonly number[]): [Run, ...Run[]] {
  const names = Object.keys(findTable(text, path) ?? {});
  const wanted = new Set(positions.map((at) => names[at]));
  const statements = readStatements(text);
  const runs: Run[] = [];
  let open: Run | null = null;
  let openName: string | undefined;
  for (const statement of statements) {
    const { path: keys, start, end } = statement;
    const isInSection = path.every((key, index) => keys[index] === key);
    if (isInSection && keys.length === path.length && !statement.isHeader) {
      throw new UneditableText(
        `has its servers in one inline table: give each a table such as [${path.join(".")}.name]`,
      );
    }
    const isWanted = isInSection && keys.length > path.length && wanted.has(keys[path.length]);
    const name = keys[path.length];
    if (!isWanted) open = null;
    else if (open !== null && openName === name) open.end = end;
    else {
      open = { start, end, statement };
      openName = name;
      runs.push(open);
    }
  }
  const [first, ...others] = runs;
  if (first === undefined) throw new UneditableText("has fewer servers than before");
  return [first, ...others];
}

/** With the blank lines after it. */
function removeRun(text: string, { start, end }: Run): Edit {
  let until = end;
  while (until < text.length && isBlank(text.slice(until, findLineEnd(text, until)))) until = findLineEnd(text, until);
  return { start, end: until, text: "" };
}

/** JSON's strings, numbers and lists of them are TOML too. */
function writeValue(value: unknown): string {
  if (!isPlainObject(value)) return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, each]) => `${writeKey([key])} = ${writeValue(each)}`);
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
}
