import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { createApprovalLinks } from "../calls/approvals/approval-links";
import { createApprovalLinkStore } from "../calls/approvals/db/approval-store";
import { auditDecisions } from "../calls/approvals/decisions";
import type { AgentToolSource } from "../engine/agent/agent-tool";
import { createServicesByReader } from "../features/accounts/restrict-services";
import type { InstanceTiming } from "../platform/coordination/postgres/instance-timing";
import { claimDatabase } from "../platform/db/open-database";
import { createLiveEndpoint } from "../platform/events/live-endpoint";
import type { ActingPorts } from "../platform/shared/audited-call";
import { withinMs } from "../platform/shared/within-ms";
import { createMetricsEndpoint } from "../platform/telemetry/metrics-endpoint";
import { createMetricsPage } from "../platform/telemetry/metrics-page";
import { decideClientDocument } from "./client-sign-in";
import { createServices } from "./create-services";
import type { Env } from "./env";
import { createServerLogger } from "./foundation";
import { findApprover } from "./maintenance-services";

export type Container = Awaited<ReturnType<typeof createContainer>>;

/** How a process uses the container. */
export interface ContainerOptions {
  /** See `createServices`. */
  offline?: boolean;
  /** Toolroom's own tools for agents, which operations declare; they name the type of the container, so they come from outside. */
  ownTools?: AgentToolSource;
  /** The address that the process serves, for others that want its database; absent for a command. */
  address?: string;
  /** Used by tests: how soon instances of the server miss each other. */
  timing?: Partial<InstanceTiming>;
}

/** The metrics of `/metrics`, for server.mjs. */
function createMetrics({ foundation, accounts, services, agent, gateway }: Awaited<ReturnType<typeof createServices>>) {
  const { db, live, logger, version, callMetrics, hostPolicy, coordination } = foundation;
  const { servers, approvals, interactions } = services;
  const { jobs } = foundation.coordination;
  const render = createMetricsPage(callMetrics, async () => ({
    version,
    servers: servers.list().items.map(({ name, state }) => ({ name, status: state.status })),
    gatewaySessions: gateway.sessionCount(),
    liveStreams: live.streamCount,
    activeRuns: agent.runs.activeCount(),
    pendingApprovals: (await approvals.count()).open,
    pendingInteractions: (await interactions.list()).length,
    jobs: await jobs.queues(),
    databaseBytes: await db.size(),
    freeDiskBytes: db.disk?.state().freeBytes ?? null,
    copies: coordination.copies.list().length,
    instanceLagMs: coordination.travel()?.lagMs ?? null,
    isRefusing: (db.watch.problem() ?? db.findProblem()) !== null,
  }));
  const onError = (err: unknown): void => logger.error({ err }, "The metrics could not be read");
  return createMetricsEndpoint({ render, access: accounts.access, hostPolicy, onError });
}

/** Builds the whole server. The only place that constructs. */
export async function createContainer(env: Env, { offline = false, address, timing, ownTools }: ContainerOptions = {}) {
  // Created before anything is changed in the database.
  const serverLogger = createServerLogger(env);
  const claim = await claimDatabase(env.database.directUrl ?? env.database.url, address ?? null, serverLogger.logger);
  const parts = await createServices(env, claim, serverLogger, { offline, timing, ownTools }).catch(
    async (error: unknown) => {
      await claim.release();
      throw error;
    },
  );
  const { foundation, audit, accounts, connections, agent, serverServices, gateway, services } = parts;
  const { db, live, logger, coordination } = foundation;
  const { engine, executionStore, privateCalls, clientRecorder, signer } = parts;
  const { tools, executions, approvals } = services;
  const { access } = accounts;
  const stopping = new AbortController();
  let closed: Promise<void> | null = null;
  coordination.copies.onExpelled(async () => {
    stopping.abort();
    live.close();
    await connections.close();
    logger.flush();
  });
  const acting: ActingPorts = { audit: audit.log, answered: foundation.shared.answered };
  /** The services with the ports by which operations record what they do. */
  const recorded = { ...services, acting };
  const runSteps = async (steps: readonly (() => Promise<unknown>)[]): Promise<void> => {
    for (const step of steps) {
      // One that fails must not keep the others from ending their processes and writing what they hold.
      await step().catch((error: unknown) => logger.error({ err: error }, "A part of the server failed to close"));
    }
  };
  let callsEnded: Promise<void> | null = null;
  /**
   * Gives running calls one time of grace, then records them as interrupted. Resolves when every caller that is connected has been
   * answered. A second call does nothing.
   */
  const endCalls = (): Promise<void> => {
    callsEnded ??= (async () => {
      stopping.abort();
      live.close();
      gateway.beginStop();
      approvals.stop();
      services.changes.stop();
      const graceEnds = performance.now() + env.shutdownGraceMs;
      const runs = Promise.all([
        coordination.jobs.stop(),
        services.suites.close(),
        services.conformance.close(),
        agent.beginStop(),
      ]);
      await runSteps([
        () => withinMs(runs, env.shutdownGraceMs),
        () => executions.stop(Math.max(0, graceEnds - performance.now())),
        () => runs,
        () => agent.close(),
        () => gateway.close(),
      ]);
    })();
    return callsEnded;
  };
  const servicesFor = createServicesByReader(recorded, privateCalls);
  parts.agentToolRunner.open({ servicesFor, stopping: stopping.signal });
  const approvalLinks = createApprovalLinks({
    signer,
    store: createApprovalLinkStore(db),
    now: Date.now,
    async findApprover(webhookId, userId, issuedAt) {
      const channel = await services.webhooks.findApprover(webhookId);
      if (channel?.userId !== userId || issuedAt < channel.confirmedAt) return null;
      const approver = await findApprover(accounts, userId);
      const token = {
        id: `link ${webhookId}`,
        name: "Approval link",
        scopes: ["run" as const],
        tools: null,
        servers: null,
      };
      return approver && { ...approver, token };
    },
    isPaused: foundation.pause.isPaused,
    approvalsFor: (reader) => auditDecisions(servicesFor(reader).approvals, acting),
    onUsed({ webhookId, userId, use }) {
      foundation.live.publish({ type: "approvals" });
      const data = { execution: use.executionId, tool: use.toolName, status: use.status, address: use.address };
      services.webhooks
        .noteLinkUse(webhookId, { ...data, approver: userId })
        .catch((err: unknown) => logger.error({ err }, "The use of an approval link could not be sent to its webhook"));
    },
  });
  return {
    /** Decisions by links that webhooks bring. */
    approvalLinks,
    /** The services of the local owner, who reads everything: for work inside the server. */
    services: servicesFor(LOCAL_PRINCIPAL),
    /** The services for one reader, for every door of users and programs. */
    servicesFor,
    access,
    version: foundation.version,
    signInRequests: accounts.signInRequests,
    /** Answers `/scim/v2/*`. */
    scim: accounts.scim,
    /** The name of the identity provider, for the sign-in page; null without one. */
    signOnName: accounts.signOnName,
    onlySignOn: accounts.onlySignOn,
    /** How MCP clients sign in; null where they may not. */
    clientMetadata: accounts.clientMetadata,
    /** The document by which authorization servers of MCP servers identify this Toolroom; null where there is none. */
    clientDocument: decideClientDocument(env),
    setupPath: accounts.setupPath,
    gateway,
    admitRequest: foundation.outsideGuard.admit,
    hostPolicy: foundation.hostPolicy,
    outsideGuard: foundation.outsideGuard,
    live,
    /** The services that add the sample data while the server runs: see scripts/control.mjs. */
    sampleData: {
      services: servicesFor(LOCAL_PRINCIPAL),
      past: { db, executions: executionStore, validator: engine.validator },
      port: env.port,
      onWritten: () => live.publish({ type: "reset" }),
    },
    /** Requests of other instances about servers that this one runs for all; null where there is one process. */
    instanceEndpoint: parts.single,
    liveEndpoint: createLiveEndpoint({
      hub: live,
      hostPolicy: foundation.hostPolicy,
      access,
      viewers: parts.viewers,
    }),
    metrics: createMetrics(parts),
    logger,
    /** The facts of the start, for the line that the server prints. */
    started: { ...foundation.started, problems: tools.listProblems().length },
    /** Why calls are refused although the server runs; null while they are not. For the health check. */
    problem: () => db.watch.problem() ?? db.findProblem(),
    /** Aborts when the server begins to stop. */
    stopping: stopping.signal,
    /** How long the server still answers after `drain`. */
    drainMs: env.drainMs,
    /** Tells the other instances of the server that this one is about to stop. */
    drain: () => coordination.copies.drain(),
    /** Resolves where the others took over what this instance of the server owned, and its processes were ended: it has to end. */
    expelled: coordination.copies.expelled,
    shutdownGraceMs: env.shutdownGraceMs,
    /** Ends the streams; calls keep running until `endCalls`. */
    beginStop(): void {
      stopping.abort();
      live.close();
      gateway.beginStop();
    },
    endCalls,
    /** Ends the calls, then closes everything. A second call does nothing. */
    close(): Promise<void> {
      closed ??= (async () => {
        await endCalls();
        await runSteps([
          () => clientRecorder.flush(),
          () => connections.close(),
          () => engine.close(),
          () => serverServices.close(),
          () => parts.changeParts.close(),
          () => executionStore.close(),
          () => audit.log.close(),
          () => coordination.locks.close(),
          () => coordination.copies.close(),
          async () => void (await foundation.telemetry?.close()),
          () => db.close(),
          () => claim.release(),
        ]);
        logger.flush();
      })();
      return closed;
    },
  };
}
