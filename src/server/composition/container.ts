import { createLiveEndpoint } from "../adapters/live-endpoint";
import { createSystemService } from "../features/system/system-service";
import { guardServices } from "../features/accounts/guard-services";
import { createAccountServices } from "./account-services";
import { createAgentServices } from "./agent-services";
import type { Env } from "./env";
import { createFoundation } from "./foundation";
import { createGatewayService } from "./gateway-service";
import { LateServices } from "./late-services";
import { createPolicy } from "./policy";
import { createConnections, createServerServices } from "./server-services";
import { createToolServices } from "./tool-services";

export type Container = Awaited<ReturnType<typeof createContainer>>;
/** The services before anyone's rights are checked. */
export type Services = Awaited<ReturnType<typeof createServices>>["services"];

/** Builds the whole server, in the order things depend on each other. The only place that constructs. */
export async function createContainer(env: Env) {
  const foundation = await createFoundation(env);
  const { db, live, logger, config, coordination } = foundation;
  const late = new LateServices();
  const { store, connections } = createConnections(foundation, late);
  const toolServices = createToolServices(foundation, connections, late);
  const { engine, tools, executions, approvals, executionStore } = toolServices;
  const agent = await createAgentServices(foundation, { engine, tools, executions });
  const serverServices = createServerServices(foundation, { store, connections, engine, tools, executionStore });
  const { servers, interactions } = serverServices;
  late.add({ tools, executions, approvals, servers, interactions, runs: agent.runs });
  await toolServices.load();
  await serverServices.load();
  await approvals.load();
  await agent.load();
  await coordination.start();
  const gateway = createGatewayService(foundation, { ...toolServices, servers, connections });
  const system = createSystemService({
    version: foundation.version,
    database: { location: env.database.location, size: db.size, problem: () => db.watch.problem() },
    config,
    limits: engine.limits,
    handlers: tools.handlers,
    counts: executions.counts,
    catalogue: tools.list,
    servers: servers.list,
  });

  const stopping = new AbortController();
  let closed: Promise<void> | null = null;
  return {
    services: {
      tools,
      executions,
      servers,
      interactions,
      approvals,
      system,
      runs: agent.runs,
      models: agent.models,
      modelChecks: agent.modelChecks,
      transcripts: agent.transcripts,
    },
    gateway,
    live,
    liveEndpoint: createLiveEndpoint({ hub: live, hostPolicy: foundation.hostPolicy }),
    transcriptSocket: agent.transcriptSocket,
    logger,
    /** What the start did, for the line that the server prints. */
    started: { ...foundation.started, problems: tools.list().problems.length },
    /** Why calls are refused although the server runs; null while they are not. For the health check. */
    problem: () => db.watch.problem(),
    /** Aborts when the server begins to stop. */
    stopping: stopping.signal,
    /** Ends the streams; calls keep running until `close`. */
    beginStop(): void {
      stopping.abort();
      live.close();
      gateway.beginStop();
      void agent.transcriptSocket.close();
    },
    /** Lets running calls end or records them as interrupted, then closes everything. A second call does nothing. */
    close(): Promise<void> {
      closed ??= (async () => {
        stopping.abort();
        live.close();
        approvals.stop();
        const steps = [
          () => coordination.stop(),
          () => agent.beginStop(),
          () => executions.stop(env.shutdownGraceMs),
          () => agent.close(),
          () => gateway.close(),
          () => connections.close(),
          () => engine.close(),
          () => serverServices.close(),
          () => executionStore.close(),
          () => coordination.close(),
          () => db.close(),
        ];
        for (const step of steps) {
          // One that fails must not keep the others from ending their processes and writing what they hold.
          await step().catch((error: unknown) => logger.error({ err: error }, "A part of the server failed to close"));
        }
        logger.flush();
      })();
      return closed;
    },
  };
}
