import { ensureRunnable } from "../../scripts/setup.mjs";

/** The servers of the journeys run the production build of these sources. */
export default async function prepareBuild(): Promise<void> {
  await ensureRunnable();
}
