import { parseJsonInSlices } from "../../lib/parse-in-slices";
import { systemClock } from "../create-tool-engine";
import { createSharingStore } from "../features/sharing/db/sharing-store";
import type { SharingPorts } from "../features/sharing/sharing-ports";
import { createSharingService } from "../features/sharing/sharing-service";
import type { Foundation } from "./foundation";

/** Of one object: with 600,000 keys it holds the event loop for a quarter of a second. */
const MAX_FILE_KEYS = 50_000;

/** Export and import of the catalog. */
export function createSharing(
  { db, secretBox }: Foundation,
  parts: Pick<SharingPorts, "tools" | "servers" | "toolsets" | "versions" | "checkLens">,
) {
  return createSharingService({
    ...{ ...parts, clock: systemClock },
    parseJson: (text) => parseJsonInSlices(text, { maxMembers: MAX_FILE_KEYS }),
    store: createSharingStore({ db, secretBox, clock: systemClock }),
  });
}
