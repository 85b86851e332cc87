// npm run -s catalog:import -- catalog.json [--dry-run]: adds and replaces what a catalog file has.

import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { describeEntry } from "../src/server/cli/describe-entry.mjs";
import { openCommandCatalog } from "./catalog-access.mjs";
import { runEntryPoint } from "./entry-point.mjs";
import { StepError } from "./run-command.mjs";
import { importServerCode } from "./server-code.mjs";
import { ensureDependencies } from "./setup.mjs";
import { protocolOutput } from "./stdout-guard.mjs";

const HELP = `npm run -s catalog:import -- <file> [--dry-run]

  --dry-run   says what would be imported, and changes nothing

New entries are added and known ones replaced, all of them or none. What the file does not name stays.
Changes the running Toolroom of the database that DATABASE_URL names, else the database itself.`;

function readArguments() {
  try {
    const options = /** @type {const} */ ({ "dry-run": { type: "boolean" } });
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const [file] = positionals;
    if (file === undefined || positionals.length > 1) throw new Error("Name one file");
    return { file: path.resolve(process.env.INIT_CWD ?? process.cwd(), file), isDry: values["dry-run"] === true };
  } catch (error) {
    throw new StepError(error instanceof Error ? error.message : String(error), { wayOut: HELP });
  }
}

/** @param {string} file */
function readText(file) {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new StepError(`The file cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

/** @param {string} line */
const say = (line) => protocolOutput.write(`${line}\n`);

await runEntryPoint(async () => {
  const { file, isDry } = readArguments();
  const text = readText(file);
  await ensureDependencies();
  // Texts of a file move no cursor.
  /** @type {typeof import("../src/server/cli/output")} */
  const { toLine } = await importServerCode("src/server/cli/output.ts");
  const catalog = await openCommandCatalog({ create: !isDry });
  try {
    const { entries, problems, notes, digest } = await catalog.preview(text);
    for (const entry of entries) if (entry.status !== "same") say(describeEntry(entry, toLine).join("\n"));
    for (const note of notes) say(toLine(note));
    const refused = entries.filter(
      ({ status, denied }) => status === "conflict" || status === "invalid" || denied !== null,
    );
    const reasons = [...problems, ...refused.map(({ kind, name }) => `${kind} ${name}`)];
    if (reasons.length > 0) throw new StepError(toLine(`Nothing was imported: ${reasons.join("; ")}.`));
    const changed = entries.filter(({ status }) => status === "add" || status === "change");
    const same = `${entries.length - changed.length} without a change`;
    if (isDry || changed.length === 0) {
      say(`${changed.length} to import, ${same}.`);
      return;
    }
    const decisions = changed.map(({ kind, position, status }) => ({
      kind,
      position,
      action: /** @type {"add" | "replace"} */ (status === "add" ? "add" : "replace"),
    }));
    const { imported } = await catalog.import({ text, digest, decisions });
    say(`${imported.length} imported, ${same}.`);
  } finally {
    await catalog.close();
  }
});
