import { ensureRunnable } from "../../scripts/setup.mjs";
import openTempFolder from "../../scripts/test-temp-folder";
import { openPostgres } from "./database";

/** The servers of the journeys run the production build of these sources. Returns what runs after the last journey. */
export default async function prepareRun(): Promise<() => void> {
  await ensureRunnable();
  const closePostgres = await openPostgres();
  const removeFolder = openTempFolder();
  return () => {
    closePostgres();
    removeFolder();
  };
}
