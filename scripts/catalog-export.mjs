// npm run -s catalog:export > catalog.json: the catalog as a file that is fit for git, without secrets.

import { parseArgs } from "node:util";
import { openCommandCatalog } from "./catalog-access.mjs";
import { runEntryPoint } from "./entry-point.mjs";
import { StepError } from "./run-command.mjs";
import { protocolOutput } from "./stdout-guard.mjs";

const HELP = `npm run -s catalog:export [-- --versions] [-- --time] > catalog.json

  --versions   with the newest 20 earlier versions of each tool
  --time       with the time of the export; without it, the same catalog gives the same bytes

Reads the running Toolroom of the database that DATABASE_URL names, else the database itself.`;

function readArguments() {
  try {
    return parseArgs({ options: { versions: { type: "boolean" }, time: { type: "boolean" } } }).values;
  } catch (error) {
    throw new StepError(error instanceof Error ? error.message : String(error), { wayOut: HELP });
  }
}

await runEntryPoint(async () => {
  const { versions = false, time = false } = readArguments();
  const catalog = await openCommandCatalog({ create: false });
  try {
    const { text, notes } = await catalog.export({ versions, exportedAt: time });
    for (const note of notes) console.error(note);
    await new Promise((resolve) => protocolOutput.write(text, () => resolve(undefined)));
  } finally {
    await catalog.close();
  }
});
