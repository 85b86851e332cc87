import { CHECKED_CLIENTS, type CheckedClient } from "../../../../lib/contract/client-verdict";
import { toClientForm } from "../../../../lib/schema/clients/client-form";
import { TimeSlice } from "../../../engine/time-slice";
import type { Entry } from "./toolset-entries";

/** The form of `?for=gemini`; undefined for an unknown client. */
export const readClientForm = (name: string): CheckedClient | undefined =>
  CHECKED_CLIENTS.find((client) => client === name);

/** A list with the parameters of each tool in the form that a client reads whole. Calls are checked against the tool's own. */
export function toFormedEntries(entries: readonly Entry[], client: CheckedClient): Entry[] {
  return entries.map(({ definition, listed }) => ({
    definition,
    listed: { ...listed, inputSchema: toClientForm(client, definition.parameters) },
  }));
}

/** Makes the forms one after the other, so that a large list holds nothing up: they are kept with the schemas. */
export async function prepareForms(entries: readonly Entry[], client: CheckedClient): Promise<void> {
  const slice = new TimeSlice();
  for (const { definition } of entries) {
    toClientForm(client, definition.parameters);
    await slice.pause();
  }
}
