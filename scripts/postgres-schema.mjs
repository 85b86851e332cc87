import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT } from "./project-root.mjs";

export const SQLITE_SCHEMA = path.join(ROOT, "prisma/schema.prisma");
export const POSTGRES_SCHEMA = path.join(ROOT, "prisma/postgres.prisma");

const HEAD = "// Made from schema.prisma by scripts/postgres-schema.mjs: change that file, then run it.\n\n";
/** As the server prints the condition; any other spelling would count as a difference for ever. */
const UNFINISHED = `raw("status = ANY (ARRAY['running'::text, 'waiting'::text])")`;

/** Replaces one text that has to be there. @param {string} text @param {string} from @param {string} to */
function replaceOnce(text, from, to) {
  if (text.split(from).length !== 2) throw new Error(`schema.prisma has to hold this exactly once: ${from}`);
  return text.replace(from, () => to);
}

/** @param {string} schema @param {string} model @param {(body: string) => string} change */
function changeModel(schema, model, change) {
  const found = schema.match(new RegExp(`^model ${model} \\{\\n[\\s\\S]*?^\\}`, "m"))?.[0];
  if (found === undefined) throw new Error(`schema.prisma has no model ${model}`);
  return schema.replace(found, () => change(found));
}

/** SQLite has its search index in another file. */
const UNINDEXED = [
  "  /// The queue of the background indexer, and the rows that a search has to read itself.",
  '  @@index([seq], map: "Execution_unindexed", where: { searchable: { not: 1 } })',
];

/** SQLite's integers have 64 bits. Only its indexes hold the row id, which is `seq`, without naming it. */
function widenExecution(/** @type {string} */ body) {
  const lines = body.split("\n").flatMap((line) => {
    if (line.includes("Execution_called_names") || line.includes("without the pages behind a long result")) return [];
    if (line.includes("Execution_unsuccessful")) return [line.replace("[status]", "[status, seq]"), ...UNINDEXED];
    return [line.replace(/^(\s+@@index\(\[\w+)\]/, "$1, seq]").replace(/^(\s+\w+\s+)Int\b/, "$1BigInt")];
  });
  return lines.join("\n");
}

/** The schema for PostgreSQL. @param {string} schema of SQLite */
export function derivePostgresSchema(schema) {
  const models = schema.slice(schema.indexOf("generator client"));
  let derived = replaceOnce(models, 'provider = "sqlite"', 'provider = "postgresql"');
  derived = replaceOnce(derived, "platform/db/generated", "platform/db/generated-postgres");
  derived = replaceOnce(derived, `raw("status IN ('running', 'waiting')")`, UNFINISHED);
  derived = changeModel(derived, "Execution", widenExecution);
  // Numbers of executions.
  derived = changeModel(derived, "ExecutionDigest", (body) => body.replace(/(\btoSeq\s+)Int\b/, "$1BigInt"));
  derived = changeModel(derived, "UncountedExecution", (body) => body.replace(/(\bseq\s+)Int\b/, "$1BigInt"));
  return HEAD + derived;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(POSTGRES_SCHEMA, derivePostgresSchema(readFileSync(SQLITE_SCHEMA, "utf8")));
}
