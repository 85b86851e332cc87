import { parseJsonInSlices } from "../adapters/mcp/transport/parse-in-slices";
import { systemClock } from "../create-tool-engine";
import { createSharingStore } from "../db/stores/sharing-store";
import type { ServerService } from "../features/servers/server-service";
import { createSharingService } from "../features/sharing/sharing-service";
import type { ToolService } from "../features/tools/tool-service";
import type { Foundation } from "./foundation";
import { recordChanges } from "./record-changes";

/** Export and import of the catalog. */
export function createSharing(
  { db, secretBox, record }: Foundation,
  { tools, servers }: { tools: ToolService; servers: ServerService },
) {
  return createSharingService({
    ...{ tools, servers, clock: systemClock, parseJson: parseJsonInSlices },
    store: recordChanges(createSharingStore({ db, secretBox, clock: systemClock }), ["apply"], async () => {
      await record("tools");
      await record("servers");
    }),
  });
}
