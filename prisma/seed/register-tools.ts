import type { Services } from "./seed-context";

/** Puts tools into the catalogue, those that are not there yet; gives how many that were. */
export async function registerTools(services: Services, definitions: readonly string[]): Promise<number> {
  const taken = new Set(services.tools.list().items.map((tool) => tool.name));
  const missing = definitions.filter((text) => !taken.has((JSON.parse(text) as { name: string }).name));
  for (const text of missing) await services.tools.create(text);
  return missing.length;
}
