import { parseJsonInSlices } from "../adapters/mcp/transport/parse-in-slices";
import { systemClock } from "../create-tool-engine";
import { createVersionStore } from "../db/sqlite/tool-versions";
import { createSharingStore } from "../db/stores/sharing-store";
import type { ServerService } from "../features/servers/server-service";
import { createSharingService } from "../features/sharing/sharing-service";
import type { ToolService } from "../features/tools/tool-service";
import type { Foundation } from "./foundation";
import { recordChanges } from "./record-changes";

/** Of one object: with 600,000 keys it holds the event loop for a quarter of a second. */
const MAX_FILE_KEYS = 50_000;

/** Export and import of the catalog. */
export function createSharing(
  { db, secretBox, record }: Foundation,
  { tools, servers }: { tools: ToolService; servers: ServerService },
) {
  return createSharingService({
    ...{ tools, servers, clock: systemClock, versions: createVersionStore(db, systemClock) },
    parseJson: (text) => parseJsonInSlices(text, { maxMembers: MAX_FILE_KEYS }),
    store: recordChanges(createSharingStore({ db, secretBox, clock: systemClock }), ["apply"], async () => {
      await record("tools");
      await record("servers");
    }),
  });
}
