import { LOCAL_PRINCIPAL } from "../../../../lib/contract/access";
import { createReadResult } from "../../../engine/lens/read-result";
import type { PreparedToolset } from "../../../engine/toolsets/prepare-toolset";
import type { GatewayPorts } from "../gateway-ports";
import { CatalogView } from "./catalog-view";
import type { Entry } from "./toolset-entries";

const READER = createReadResult(async () => null);

/** The list that a client without limits gets at the address of a toolset, made by the view that serves it. */
export function listToolset(
  prepared: PreparedToolset,
  ports: Pick<GatewayPorts, "tools" | "getLens">,
): readonly Entry[] {
  const query = { server: null, plainNames: false, tools: null, toolset: prepared.toolset.name };
  const view = new CatalogView("preview", query, LOCAL_PRINCIPAL, {
    tools: ports.tools,
    getLens: ports.getLens,
    aliasNames: () => new Map(),
    serverNames: () => [],
    toolset: () => prepared,
    readResult: () => READER,
  });
  return view.listed();
}
