import { systemClock } from "../create-tool-engine";
import { createIdempotencyStore } from "../features/idempotency/db/idempotency-store";
import { createIdempotencyService } from "../features/idempotency/idempotency-service";
import { createLensStore } from "../features/lenses/db/lens-store";
import { createLensService } from "../features/lenses/lens-service";
import { createSystemService } from "../features/system/system-service";
import { createDamagedDeletion } from "../platform/db/delete-damaged";
import { createAccountServices } from "./account-services";
import { createAgentServices } from "./agent-services";
import { createAuditParts } from "./audit-parts";
import { createContentServices } from "./content-services";
import { createCredentialService, createPersonalParts } from "./credential-services";
import type { Env } from "./env";
import { createFoundation } from "./foundation";
import { createGatewayService } from "./gateway-service";
import { LateServices } from "./late-services";
import { createConnections, createServerServices } from "./server-services";
import { createSharing } from "./sharing";
import { createToolServices } from "./tool-services";

/** The services before anyone's rights are checked. */
export type Services = Awaited<ReturnType<typeof createServices>>["services"];

/**
 * Constructs every area, in the order things depend on each other.
 * @param offline connects no server and continues no work: for commands that only read and write the catalog
 */
export async function createServices(env: Env, offline = false) {
  const foundation = await createFoundation(env);
  const { db, config, coordination } = foundation;
  const audit = await createAuditParts(foundation);
  const late = new LateServices();
  const accounts = await createAccountServices(foundation, audit.log, late);
  const personal = createPersonalParts(foundation, accounts.mode.accounts);
  const { store, connections, documents } = createConnections(foundation, late, personal);
  const toolServices = createToolServices(foundation, connections, late, {
    accounts: accounts.access.accounts,
    findPerson: accounts.findActive,
    recordDeleted: audit.recordDeletedExecutions,
  });
  const { engine, tools, toolsets, executions, approvals, executionStore, privateCalls } = toolServices;
  const agent = await createAgentServices(foundation, {
    ...{ engine, tools, toolsets, executions, privateCalls, access: accounts.access },
  });
  const serverServices = createServerServices(foundation, {
    ...{ store, connections, documents, engine, tools, executionStore, offline },
  });
  const { servers, interactions } = serverServices;
  const { content, consoleContent, apps } = createContentServices(foundation, {
    ...{ ...toolServices, connections, servers },
  });
  const credentials = createCredentialService(foundation, { personal, connections, servers });
  late.add({
    credentials,
    tools,
    toolsets,
    executions,
    approvals,
    servers,
    interactions,
    runs: agent.runs,
    sampling: agent.sampling,
    content,
  });
  await toolServices.load();
  await serverServices.load();
  if (!offline) {
    await approvals.load();
    await agent.load();
    await coordination.jobs.start();
  }
  const { access, clientMetadata, people, account, tokens } = accounts;
  const gateway = createGatewayService(foundation, {
    ...{ ...toolServices, servers, connections, content, access, clientMetadata },
    onDenied: audit.service.recordDenial,
  });
  const deleteDamaged = createDamagedDeletion(db);
  const system = createSystemService({
    version: foundation.version,
    database: {
      location: env.database.location,
      size: db.size,
      problem: () => db.watch.problem(),
      damaged: () => db.damaged.list(),
      deleteDamaged: (kind, name) => tools.applyStored(() => deleteDamaged(kind, name)),
      parts: db.parts,
      disk: db.disk.state,
    },
    config,
    limits: engine.limits,
    handlers: tools.handlers,
    counts: executions.counts,
    catalogue: tools.list,
    servers: servers.list,
    isLoaded(kind, name) {
      if (kind === "server") return servers.has(name);
      if (kind === "tool") return tools.list().items.some((item) => item.name === name);
      const items = kind === "toolset" ? toolsets.list() : agent.models.providers().items;
      return items.some((item) => item.name === name && (!("origin" in item) || item.origin === "console"));
    },
    accountMode: accounts.readMode,
  });
  const { runs, models, modelChecks, sampling, transcripts } = agent;
  const services = {
    ...{
      tools,
      toolsets,
      lenses: createLensService({
        store: createLensStore(db),
        projector: engine.lenses,
        assertTool: (name) => void tools.get(name),
      }),
      executions,
      servers,
      content: consoleContent,
      apps,
      interactions,
      approvals,
      system,
      runs,
      models,
      modelChecks,
      sampling,
      transcripts,
      sharing: createSharing(foundation, {
        ...{ tools, servers, toolsets, versions: toolServices.versions, checkLens: engine.lenses.check },
      }),
    },
    ...{ people, account, tokens, credentials, auditLog: audit.service },
    idempotency: createIdempotencyService({
      store: createIdempotencyStore(db),
      secret: foundation.secretBox.derive("idempotency keys"),
      now: systemClock.now,
    }),
  };
  return { foundation, audit, accounts, connections, toolServices, agent, serverServices, gateway, services };
}
