import { LOCAL_PRINCIPAL, type Principal } from "../../lib/contract/access";
import type { ServedSkill } from "../../lib/contract/served-skill";
import { getServerName } from "../../lib/contract/tool-definition";
import type { ToolAsk } from "../../lib/schema/clients/check-tool";
import { OWN_SKILLS } from "../../lib/skill-files";
import type { ReadableExecutions } from "../calls/executions/readable-executions";
import type { ToolEngine } from "../create-tool-engine";
import type { ViewQuery } from "../engine/client-ports";
import { createSettingStore } from "../features/accounts/db/setting-store";
import { type AskedInputs, createAskedInputs } from "../features/clients/asked-inputs";
import { createClientRecorder } from "../features/clients/client-recorder";
import { createClientService, sweepClients } from "../features/clients/client-service";
import { type ClientVerdictService, createClientVerdicts } from "../features/clients/client-verdicts";
import { createAskedInputStore } from "../features/clients/db/asked-input-store";
import { createClientStore } from "../features/clients/db/client-store";
import { type CatalogFacts, findLeftOut, type MissingTool } from "../features/clients/missing-tools";
import { describeServedSkills } from "../features/content/describe-served-skills";
import { createRegistryService } from "../features/registry/registry-service";
import type { KnownServers } from "../features/servers/known-servers";
import type { ServerService } from "../features/servers/server-service";
import type { createUpstreamCredentialService } from "../features/servers/upstream-credential-service";
import type { OwnSkillService } from "../features/skills/own-skill-service";
import type { ToolService } from "../features/tools/tool-service";
import type { ToolsetService } from "../features/toolsets/toolset-service";
import type { Gateway } from "../mcp/gateway/gateway-http";
import { withinMs } from "../platform/shared/within-ms";
import type { createAccountServices } from "./account-services";
import type { Foundation } from "./foundation";
import type { SkillGateParts } from "./skill-gate-services";

const SWEEP_MS = 60 * 60_000;

/** What tools have asked for while they ran. Exists before the connections do. */
export function createAskedInputParts({ db, logger, coordination }: Foundation): AskedInputs {
  const asked = createAskedInputs({ store: createAskedInputStore(db), logger, now: Date.now });
  // Registered before the jobs start.
  coordination.jobs.repeat("clients.asked", SWEEP_MS, asked.prune);
  return asked;
}

interface RecorderParts {
  engine: Pick<ToolEngine, "registry">;
  tools: ToolService;
  servers: ServerService;
}

/** The recorder of clients, which exists before the gateway does. */
export function createClientParts(
  { db, logger, live, coordination }: Foundation,
  { engine, tools, servers }: RecorderParts,
) {
  const store = createClientStore(db);
  const facts: CatalogFacts = {
    tools: () => engine.registry.list().map((tool) => ({ name: tool.name, server: getServerName(tool) })),
    missing: (userId) => [...servers.listUnlisted(userId), ...listHidden(tools), ...listProblems(tools)],
  };
  const recorder = createClientRecorder({
    store,
    logger,
    now: Date.now,
    onWritten: () => live.publish({ type: "clients" }),
    findLeftOut: (view) => findLeftOut(facts, view),
  });
  // Registered before the jobs start.
  coordination.jobs.repeat("clients.sweep", SWEEP_MS, () => sweepClients(store, Date.now()));
  return { store, facts, recorder };
}

const DETAILS = {
  disabled: "The tool is disabled",
  held: "The tool is new on its server and waits for approval",
} as const;

function listHidden(tools: ToolService): MissingTool[] {
  return Array.from(tools.listHidden(), (tool) => ({ ...tool, kind: "tool", detail: DETAILS[tool.reason] }));
}

/** Tools of the console, the configuration or code that could not be loaded. */
function listProblems(tools: ToolService): MissingTool[] {
  return tools
    .listProblems()
    .flatMap(({ name, error }) =>
      name === null ? [] : [{ name, kind: "tool", server: null, reason: "unusable", detail: error }],
    );
}

interface VerdictParts {
  servers: Pick<ServerService, "list">;
  toolsets: Pick<ToolsetService, "list" | "get">;
  ownSkills: Pick<OwnSkillService, "all">;
  executions: Pick<ReadableExecutions, "readsFor">;
  accounts: Awaited<ReturnType<typeof createAccountServices>>;
  gateway: Pick<Gateway, "openView" | "listSkills">;
  asked: Pick<AskedInputs, "list">;
  known: Pick<KnownServers, "settings">;
}

/** The newest results of a tool that are looked at for their size. */
const MEASURED_RESULTS = 50;

export function createVerdicts({ env }: Foundation, parts: VerdictParts): ClientVerdictService {
  const { servers, toolsets, ownSkills, executions, accounts, gateway, asked, known } = parts;
  const listOffers = (names: readonly string[] | null) => {
    const known = servers.list().items.filter(({ name }) => names === null || names.includes(name));
    const offered = new Set<string>(known.flatMap(({ state }) => state.capabilities));
    if ((names === null || names.includes(OWN_SKILLS)) && ownSkills.all().length > 0) offered.add("resources");
    return (["resources", "prompts"] as const).filter((each) => offered.has(each));
  };
  return createClientVerdicts({
    openView: gateway.openView,
    readAccess: () => ({
      isPublic: env.publicUrl !== null,
      needsAccount: accounts.access.accounts,
      offersSignIn: accounts.clientMetadata !== null,
    }),
    readSkills: createSkillReader(gateway),
    readOffers({ server, toolset }) {
      if (toolset === undefined) return listOffers(server === undefined ? null : [server]);
      const chosen = toolsets.list().some(({ name }) => name === toolset) ? toolsets.get(toolset).contents : [];
      return listOffers(chosen);
    },
    async readAsks() {
      const asks = new Map<string, ToolAsk[]>();
      for (const { server, tool, kind } of await asked.list()) {
        const settings = known.settings(server);
        if (kind === "sampling" && settings?.sampling !== undefined && settings.sampling.mode !== "ask") continue;
        const ask = { kind, server, usersAnswer: settings?.askPeople === true };
        asks.set(tool, [...(asks.get(tool) ?? []), ask]);
      }
      return asks;
    },
    async readLongestResult(tool, { id, role }) {
      const { items } = await executions.readsFor({ id, role }).list({ tool: [tool] }, undefined, MEASURED_RESULTS);
      const sizes = items.flatMap(({ resultBytes }) => resultBytes ?? []);
      return sizes.length === 0 ? null : Math.max(...sizes);
    },
  });
}

interface ClientParts extends ReturnType<typeof createClientParts> {
  credentials: Pick<ReturnType<typeof createUpstreamCredentialService>, "own">;
  accounts: Awaited<ReturnType<typeof createAccountServices>>;
  gateway: Pick<Gateway, "openView" | "listSkills">;
  skillGate: SkillGateParts;
  servers: Pick<ServerService, "list">;
  verdicts: Pick<ClientVerdictService, "checkGiven">;
}

export function createClients(parts: ClientParts) {
  const { store, facts, recorder, verdicts, credentials, accounts, gateway, servers, skillGate } = parts;
  return createClientService({
    store,
    facts,
    recorder,
    verdicts,
    skills: {
      served: createSkillReader(gateway),
      changes: () => servers.list().items.flatMap(({ name }) => skillGate.gate.changes(name)),
    },
    now: Date.now,
    openView: gateway.openView,
    readRights: async (actor, token) =>
      accounts.access.accounts
        ? await accounts.readRights(actor, token, "gateway")
        : { principal: { ...LOCAL_PRINCIPAL, token } },
    async explainCredentials(server, userId) {
      const own = await credentials.own({ id: userId, name: "" }, server);
      if (own === null || own.connectedAt !== null) return null;
      return own.refusal ?? `the server ${server} takes personal credentials, and this user has not given any.`;
    },
  });
}

interface RegistryParts {
  toolsets: Pick<ToolsetService, "list">;
  servers: Pick<ServerService, "list" | "get">;
  accounts: Awaited<ReturnType<typeof createAccountServices>>;
  gateway: Pick<Gateway, "listSkills">;
}

/** A server that answers later is left out, and is in the next answer. */
const SKILLS_MS = 3_000;

/** The skills that a caller's clients receive at an address. */
const createSkillReader =
  ({ listSkills }: Pick<Gateway, "listSkills">) =>
  async (query: ViewQuery, caller: Principal): Promise<ServedSkill[]> =>
    describeServedSkills((await withinMs(listSkills(query, caller), SKILLS_MS)) ?? []);

/** The addresses of this Toolroom as an MCP registry. */
export function createRegistry({ db, env }: Foundation, { toolsets, servers, accounts, gateway }: RegistryParts) {
  const readSkills = createSkillReader(gateway);
  return createRegistryService({
    settings: createSettingStore({ db }),
    publicUrl: env.publicUrl,
    startedAt: Date.now(),
    now: Date.now,
    toolsets: toolsets.list,
    skills: ({ server, toolset }, reader) => {
      const query = { server: server ?? null, plainNames: false, tools: null };
      return readSkills(toolset === undefined ? query : { ...query, toolset }, reader);
    },
    servers: () => servers.list().items.map(({ name }) => servers.get(name)),
    needsToken: accounts.access.accounts && accounts.clientMetadata === null,
  });
}
