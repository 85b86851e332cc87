import path from "node:path";
import { newId } from "../../lib/execution-id";
import { PLATFORM } from "../../lib/platform";
import { systemClock } from "../create-tool-engine";
import { createConformanceService } from "../features/conformance/conformance-service";
import { createConformanceStore } from "../features/conformance/db/conformance-store";
import type { ServerService } from "../features/servers/server-service";
import type { ServerStore } from "../features/servers/server-store";
import { findServerFolder } from "../mcp/client/server-folder";
import { describeSuite, type SuitePlace } from "../mcp/conformance/official/suite-files";
import { runConformance } from "../mcp/conformance/run-conformance";
import { runExclusively } from "../platform/coordination/run-exclusively";
import type { Foundation } from "./foundation";

interface ConformanceParts {
  servers: Pick<ServerService, "testedConnection">;
  serverStore: Pick<ServerStore, "credentials">;
}

/** Tests of servers from outside. */
export function createConformance(foundation: Foundation, { servers, serverStore }: ConformanceParts) {
  const { env, db, config, live, logger, coordination, addresses, secrets, version } = foundation;
  const { calls, copies, locks } = coordination;
  const suite: SuitePlace = {
    folder: path.join(env.database.folder, "conformance"),
    given: env.conformanceSuite,
    node: env.conformanceNode,
    variables: env.variables,
  };
  return createConformanceService({
    store: createConformanceStore(db, copies.self.id),
    toConnection: servers.testedConnection,
    test: (request) =>
      runConformance(request, {
        suite,
        variables: env.variables,
        passedVariables: config.serverEnvironment,
        rootDir: env.rootDir,
        home: env.home,
        getFolder: (server) => findServerFolder(path.join(env.database.folder, "servers"), server, PLATFORM),
        addresses,
        credentials: {
          ...serverStore.credentials,
          exclusively: (server, work) => runExclusively(locks, `sign-in:${server}`, work),
        },
        secrets,
      }),
    describeSuite: () => describeSuite(suite),
    locks,
    calls,
    logger,
    now: systemClock.now,
    newId: () => newId("conf"),
    version,
    publish: (server) => live.publish({ type: "servers", server }),
  });
}
