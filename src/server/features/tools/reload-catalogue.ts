import type { LoadProblem } from "../../../lib/contract/catalogue-tool";
import { equalJson } from "../../../lib/json/equal-json";
import { loadStored } from "./load-catalogue";
import type { ToolContext } from "./tool-context";

/** Makes the catalogue follow the database: tools made in the console, and what people switched off. */
export async function reloadCatalogue(context: ToolContext): Promise<LoadProblem[]> {
  const { catalogue, store } = context;
  const { entries, switchedOff } = catalogue;
  const rows = await store.list();
  const stored = new Map(rows.map((row) => [row.name, row]));
  for (const [name, entry] of [...entries]) {
    if (entry.origin !== "console") continue;
    const row = stored.get(name);
    if (row !== undefined && row.enabled === entry.enabled && equalJson(row.definition, entry.definition)) {
      entry.lastEdit = row.lastEdit;
      stored.delete(name);
    } else catalogue.remove(name);
  }
  const changed = rows.filter(({ name }) => stored.has(name));
  const problems = await loadStored(context, changed);
  const disabled = new Set(await store.disabledNames());
  for (const name of new Set([...disabled, ...switchedOff])) {
    const isEnabled = !disabled.has(name);
    if (isEnabled) switchedOff.delete(name);
    else switchedOff.add(name);
    const entry = entries.get(name);
    if (entry !== undefined && entry.origin !== "console" && entry.enabled !== isEnabled) {
      catalogue.switchTool(name, isEnabled);
    }
  }
  return problems;
}
