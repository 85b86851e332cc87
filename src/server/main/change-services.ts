import type { ExecutionService } from "../calls/executions/execution-service";
import { systemClock } from "../create-tool-engine";
import type { McpConnections } from "../engine/mcp-ports";
import { createChangeReports } from "../features/changes/change-reports";
import { createChangesService } from "../features/changes/changes-service";
import { createTrafficChecks } from "../features/changes/check-traffic";
import { createReportStore } from "../features/changes/db/report-store";
import { createTrafficStore } from "../features/changes/db/traffic-store";
import type { KnownServers } from "../features/servers/known-servers";
import type { ServerService } from "../features/servers/server-service";
import type { ToolService } from "../features/tools/tool-service";
import { createSchemaChecker } from "../platform/workers/schema-checker";
import { createTrafficChecker } from "../platform/workers/traffic-checker";
import type { Foundation } from "./foundation";
import type { SkillGateParts } from "./skill-gate-services";

export type ChangeParts = ReturnType<typeof createChangeParts>;

/** Checks recorded calls; servers ask it before a changed tool passes. */
export function createChangeParts({ db, env, live, logger }: Foundation) {
  const checker = createTrafficChecker({ home: env.home });
  const schemas = createSchemaChecker({ home: env.home });
  const store = createReportStore(db);
  const traffic = createTrafficStore(db);
  const checkTraffic = createTrafficChecks({ store: traffic, checker, now: systemClock.now });
  const publish = (server: string): void => live.publish({ type: "servers", server });
  const reports = createChangeReports({
    store,
    checkTraffic,
    checkSchemas: schemas.check,
    logger,
    publish,
    clock: systemClock,
  });
  return {
    checker,
    schemas,
    store,
    traffic,
    checkTraffic,
    reports,
    publish,
    async close(): Promise<void> {
      await Promise.all([checker.close(), schemas.close()]);
    },
  };
}

interface ReviewedParts {
  parts: ChangeParts;
  known: KnownServers;
  servers: ServerService;
  tools: ToolService;
  connections: McpConnections;
  executions: Pick<ExecutionService, "execute">;
  skillGate: SkillGateParts;
}

/** The review of changes, and replays of recorded calls. */
export function createChanges({ logger, coordination }: Foundation, reviewed: ReviewedParts) {
  const { parts, known, servers, tools, connections, executions, skillGate } = reviewed;
  const { checker, schemas, store, traffic, checkTraffic, reports, publish } = parts;
  return createChangesService({
    checker,
    store,
    traffic,
    checkTraffic,
    reports,
    publish,
    connections,
    logger,
    clock: systemClock,
    calls: coordination.calls,
    locks: coordination.locks,
    checkSchemas: schemas.check,
    execute: executions.execute,
    findDefinition: (name) => {
      const found = tools.find(name);
      return found === null || !found.enabled || tools.asksFirst(found.definition) ? null : found.definition;
    },
    toBaseline: servers.baselineConnection,
    skills: skillGate.gate,
    servers: {
      names: known.names,
      heldChanges: servers.heldChanges,
      waitingChanges: servers.waitingChanges,
      approvedList: servers.approvedList,
      policy: (name) => known.find(name).settings.changedTools ?? "off",
      setPolicy: servers.setChangedTools,
    },
  });
}
