import { createHash, createHmac, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { getMessage } from "../../lib/get-message";
import { createHostPolicy } from "../../lib/http-guard";
import { canonicalJson } from "../../lib/json/canonical-json";
import { interruptOrphans } from "../calls/executions/db/interrupt-orphans";
import { systemClock } from "../create-tool-engine";
import type { Logger } from "../engine/ports";
import { createSettingStore } from "../features/accounts/db/setting-store";
import { readAllowedSchemes } from "../features/accounts/redirect-addresses";
import { createDatabaseOrigin } from "../features/system/db/database-origin";
import { openPause } from "../features/system/pause";
import { createClientIdentifier } from "../platform/auth/client-address";
import { createSecretBox, type SecretBox } from "../platform/auth/secret-box";
import { type LoadedConfig, loadConfigFile } from "../platform/config/config-file";
import { createTopic } from "../platform/coordination/bulletin";
import { createClockWatch } from "../platform/coordination/clock-watch";
import { type Coordination, createCoordination } from "../platform/coordination/coordination";
import { createForwarding } from "../platform/coordination/forwarding";
import { createInstanceEvents } from "../platform/coordination/instance-events";
import type { JobMonitor, Jobs } from "../platform/coordination/jobs";
import { createEventBus } from "../platform/coordination/live-event-bus";
import { createPausableJobs } from "../platform/coordination/pausable-jobs";
import type { InstanceTiming } from "../platform/coordination/postgres/instance-timing";
import { createSharedAreas, UNSHARED_AREAS } from "../platform/coordination/shared-areas";
import type { Database, DatabaseClaim } from "../platform/db/database";
import { migrateDatabase, openDatabase } from "../platform/db/open-database";
import { createMasking, type InstallationMasking } from "../platform/masking";
import { createAddressPolicy } from "../platform/outgoing/address-policy";
import { CallMetrics } from "../platform/telemetry/call-metrics";
import { startTelemetry } from "../platform/telemetry/read-telemetry-settings";
import { OpenTraces } from "../platform/telemetry/telemetry";
import { ACCOUNTS_SETTING, type AccountMode, createOutsideGuard, decideAccountMode, isPersonal } from "./account-mode";
import type { Env } from "./env";
import { readJwtIssuers } from "./jwt-issuers";
import { createLogger } from "./logger";
import { readProxyUserSettings } from "./proxy-user-settings";

const FACTS = createTopic<null, InstanceFacts>("copies.facts");

/** The interval at which outdated and abandoned work is handled. */
export const SWEEP_MS = 30_000;

export type ServerLogger = ReturnType<typeof createServerLogger>;
export type Foundation = Awaited<ReturnType<typeof createFoundation>>;

/** @throws Error that names the variable */
function readVariable<Value>(name: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new Error(`Environment variable ${name}: ${getMessage(error)}`);
  }
}

/** Lines before the key is read have no secrets to hide. */
export function createServerLogger(env: Env) {
  let known: InstallationMasking | null = null;
  const open = new OpenTraces();
  const logger = createLogger(
    env,
    (line) => known?.masking.inJson(line) ?? line,
    env.telemetry.traces ? open : undefined,
  );
  const maskWith = (masking: InstallationMasking): void => {
    known = masking;
  };
  return { logger, open, maskWith };
}

/** The foundation of every area of the server: database, configuration, events, coordination. */
export async function createFoundation(
  env: Env,
  claim: DatabaseClaim | null = null,
  { logger, open, maskWith }: ServerLogger = createServerLogger(env),
  timing?: Partial<InstanceTiming>,
) {
  const { privateAddresses } = env;
  const createPolicy = (local: boolean) => createAddressPolicy({ privateAddresses, local });
  // Checked before the database is opened, which decides whether accounts are on.
  readVariable("TOOLROOM_PRIVATE_ADDRESSES", () => createPolicy(false));
  const proxyUsers = readProxyUserSettings(env);
  const identifyClient = readVariable("TOOLROOM_TRUSTED_PROXIES", () =>
    createClientIdentifier({
      trustedProxies: env.trustedProxies,
      publicUrl: env.publicUrl,
      proxyUser: proxyUsers?.headers ?? null,
    }),
  );
  const oauthSchemes = readVariable("TOOLROOM_OAUTH_SCHEMES", () => readAllowedSchemes(env.oauthSchemes));
  const { url, directUrl } = env.database;
  const { applied } = await migrateDatabase(directUrl ?? url, env.home, logger);
  const db = await openDatabase({
    url,
    directUrl,
    logger,
    claim,
    checkpointWorker: path.join(env.home, "src/server/platform/db/checkpoint-worker.mjs"),
  });
  const instanceId = `inst_${randomUUID()}`;
  const version = readVersion(env.home);
  const self = {
    id: instanceId,
    name: `${hostname()}:${env.port}`,
    address: env.copyUrl,
    version,
    startedAt: systemClock.now(),
    isDraining: false,
  };
  const isShared = db.kind === "postgres" && claim?.isShared === true;
  const coordination = await createCoordination({
    self,
    clock: systemClock,
    logger,
    timing,
    shared: isShared ? db : null,
  });
  const pause = await openPause({
    settings: createSettingStore({ db }),
    origin: createDatabaseOrigin(db),
    bulletin: coordination.bulletin,
    logger,
    now: systemClock.now,
  });
  const events = createInstanceEvents(coordination.bulletin, coordination.copies);
  const live = createEventBus(randomUUID().slice(0, 8), {}, isShared ? events.exchange : null);
  await events.meet();
  db.watch.onProblem(() => live.publish({ type: "reset" }));
  db.disk?.onChange(() => live.publish({ type: "system" }));
  const interrupted = await interruptOrphans(db, logger);
  coordination.copies.onLost(async () => {
    if ((await interruptOrphans(db, logger)).length > 0) live.publish({ type: "reset" });
  });
  const mode = decideAccountMode(env, await createSettingStore({ db }).read(ACCOUNTS_SETTING));
  const secretBox = await createSecretBox({ secretKey: env.secretKey, keyFile: env.database.keyFile });
  const known = createMasking(secretBox);
  maskWith(known);
  const { secretKey, apiToken, oidc, collectorSecrets } = env;
  const own = [secretKey, apiToken, oidc.clientSecret, ...readPasswords(env.database), ...collectorSecrets];
  for (const secret of own) known.secrets.add(secret);
  const config = await loadConfigFile({
    home: env.home,
    rootDir: env.rootDir,
    configPath: env.configPath,
    dataFolder: env.database.folder,
  });
  await compareInstances({ env, coordination, config, mode, secretBox, logger }).catch(async (error: unknown) => {
    await coordination.copies.close();
    await db.close();
    throw error;
  });
  const jobs = createPausableJobs(await openJobs(db, coordination, logger), pause, systemClock);
  return {
    env,
    logger,
    db,
    live,
    coordination: { ...coordination, jobs },
    clockWatch: createClockWatch({ jobs, settings: createSettingStore({ db }), clock: systemClock, logger }),
    /** Everything that acts unasked asks it first. */
    pause,
    /** The parts of the database that each instance of the server keeps in memory. */
    shared: isShared ? createSharedAreas(coordination.bulletin, logger) : UNSHARED_AREAS,
    /** Null where there is one process. */
    forwarding: isShared ? createForwarding(coordination.copies, secretBox.derive("copies"), systemClock.now) : null,
    /** Names this start of the server in the calls that it records. */
    instanceId,
    config,
    secretBox,
    ...known,
    mode,
    /** The policy that checks every outgoing connection. */
    addresses: createPolicy(isPersonal(mode)),
    oauthSchemes,
    /** Issuers whose JWTs are accepted. */
    jwtIssuers: readJwtIssuers(config, mode.accounts),
    outsideGuard: createOutsideGuard(mode, logger, identifyClient),
    /** How proxies name users; null where they do not. */
    proxyUsers,
    hostPolicy: createHostPolicy(env),
    version,
    callMetrics: new CallMetrics(),
    /** Null where nothing is sent to a collector. */
    telemetry: await startTelemetry({
      settings: env.telemetry,
      logger,
      masking: known.masking,
      version,
      instanceId,
      open,
      isPaused: pause.isPaused,
    }),
    /** The facts of the opening, for the line that the server prints. */
    started: { migrations: applied, interrupted: interrupted.length },
  };
}

/** On PostgreSQL one queue for all instances. */
async function openJobs(
  db: Database,
  { jobs: local, bulletin }: Coordination,
  logger: Logger,
): Promise<Jobs & JobMonitor> {
  if (db.kind !== "postgres") return local;
  const { createPostgresJobs } = await import("../platform/db/postgres/postgres-jobs");
  return createPostgresJobs({ db, bulletin, clock: systemClock, logger, local });
}

/** The passwords of both addresses, as they are sent. */
function readPasswords({ kind, url, directUrl }: Env["database"]): string[] {
  if (kind !== "postgres") return [];
  return [url, directUrl ?? url].map((address) => decodeURIComponent(new URL(address).password));
}

function readVersion(home: string): string {
  const manifest = JSON.parse(readFileSync(path.join(home, "package.json"), "utf8")) as { version: string };
  return manifest.version;
}

/** The settings that must be the same on all instances of the server, as fingerprints, which do not reveal the values. */
interface InstanceFacts {
  name: string;
  key: string;
  /** Hashes by the setting's name: the configuration file, an environment variable. */
  settings: Record<string, string>;
}

interface Parts {
  env: Env;
  coordination: Pick<Coordination, "copies" | "bulletin">;
  config: LoadedConfig;
  mode: AccountMode;
  secretBox: Pick<SecretBox, "derive">;
  logger: Logger;
}

/**
 * Compares this start with the living instances, and answers later ones. Settings that differ are warned of, since instances are
 * restarted one after another.
 * @throws Error for another secret key: this instance could not read what the others store, nor they what it stores
 */
export async function compareInstances(parts: Parts): Promise<void> {
  const { copies, bulletin } = parts.coordination;
  const key = parts.secretBox.derive("copies");
  const own: InstanceFacts = {
    name: copies.self.name,
    key: createHash("sha256").update(key).digest("base64url"),
    settings: listSettings(parts, key),
  };
  bulletin.on(FACTS, () => own);
  for (const other of await bulletin.ask(FACTS, null)) {
    if (other.key !== own.key) throw new Error(describeOtherKey(parts.env, other.name));
    const names = Object.keys(own.settings).filter((name) => own.settings[name] !== other.settings[name]);
    if (names.length === 0) continue;
    const message = `This copy of the server has other settings than ${other.name}: make ${names.join(", ")} the same on all copies and restart them`;
    parts.logger.warn({ other: other.name, settings: names }, message);
  }
}

/** @param key without it, a short token could be guessed from its fingerprint */
function listSettings({ env, config, mode }: Parts, key: string): Record<string, string> {
  const { publicUrl, rateLimit, oidc, apiToken } = env;
  const file = { content: config.content, mcpServers: config.mcpServers };
  const settings = {
    "the configuration file": file,
    "whether accounts are on": mode.accounts,
    TOOLROOM_PUBLIC_URL: publicUrl,
    TOOLROOM_RATE_LIMIT: rateLimit,
    TOOLROOM_API_TOKEN: apiToken,
    "the variables TOOLROOM_OIDC_…": oidc,
  };
  const toFingerprint = (value: unknown): string =>
    createHmac("sha256", key).update(canonicalJson(value)).digest("base64url");
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, toFingerprint(value)]));
}

function describeOtherKey({ secretKey, database }: Env, other: string): string {
  const own = secretKey === null ? `the key in ${database.keyFile}` : "TOOLROOM_SECRET_KEY";
  return `The copy of the server at ${other} works with another secret key than ${own} of this one. Set TOOLROOM_SECRET_KEY to the same value on all copies, or put the same key file beside each`;
}
