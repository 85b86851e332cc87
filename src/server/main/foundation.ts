import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { getMessage } from "../../lib/get-message";
import { createHostPolicy } from "../../lib/http-guard";
import { systemClock } from "../create-tool-engine";
import { createSettingStore } from "../features/accounts/db/setting-store";
import { interruptOrphans } from "../features/executions/db/interrupt-orphans";
import { createClientIdentifier } from "../platform/auth/client-address";
import { createSecretBox } from "../platform/auth/secret-box";
import { loadConfigFile } from "../platform/config/config-file";
import { createCoordination } from "../platform/coordination/coordination";
import { createEventBus } from "../platform/coordination/live-event-bus";
import type { DatabaseClaim } from "../platform/db/database";
import { migrateDatabase, openDatabase } from "../platform/db/open-database";
import { createMasking, type InstallationMasking } from "../platform/masking";
import { createAddressPolicy } from "../platform/outgoing/address-policy";
import { CallMetrics } from "../platform/telemetry/call-metrics";
import { startTelemetry } from "../platform/telemetry/read-telemetry-settings";
import { OpenTraces } from "../platform/telemetry/telemetry";
import { ACCOUNTS_SETTING, decideAccountMode, isPersonal } from "./account-mode";
import type { Env } from "./env";
import { createLogger } from "./logger";

/** How often what is out of date, or could not be continued, is looked for. */
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
) {
  const { privateAddresses } = env;
  const judgeAddresses = (local: boolean) => createAddressPolicy({ privateAddresses, local });
  // Before the database is opened, which knows whether accounts are on.
  readVariable("TOOLROOM_PRIVATE_ADDRESSES", () => judgeAddresses(false));
  const identifyClient = readVariable("TOOLROOM_TRUSTED_PROXIES", () => createClientIdentifier(env));
  const { url, directUrl } = env.database;
  const { applied } = await migrateDatabase(directUrl ?? url, env.home, logger);
  const db = await openDatabase({
    ...{ url, directUrl },
    logger,
    claim,
    checkpointWorker: path.join(env.home, "src/server/platform/db/checkpoint-worker.mjs"),
  });
  const live = createEventBus(randomUUID().slice(0, 8));
  db.watch.onProblem(() => live.publish({ type: "reset" }));
  db.disk?.onChange(() => live.publish({ type: "system" }));
  const interrupted = await interruptOrphans(db, logger);
  const mode = decideAccountMode(env, await createSettingStore({ db }).read(ACCOUNTS_SETTING));
  const secretBox = await createSecretBox({ secretKey: env.secretKey, keyFile: env.database.keyFile });
  const known = createMasking(secretBox);
  maskWith(known);
  const { secretKey, apiToken, oidc, collectorSecrets } = env;
  const own = [secretKey, apiToken, oidc.clientSecret, ...readPasswords(env.database), ...collectorSecrets];
  for (const secret of own) known.secrets.add(secret);
  const instanceId = `inst_${randomUUID()}`;
  const version = readVersion(env.home);
  return {
    env,
    logger,
    db,
    live,
    coordination: createCoordination({ clock: systemClock, logger }),
    /** Names this start of the server in the calls that it records. */
    instanceId,
    config: await loadConfigFile({ home: env.home, rootDir: env.rootDir, configPath: env.configPath }),
    secretBox,
    ...known,
    mode,
    /** Judges every outgoing connection. */
    addresses: judgeAddresses(isPersonal(env, mode)),
    identifyClient,
    hostPolicy: createHostPolicy(env.host, env.allowedHosts),
    version,
    callMetrics: new CallMetrics(),
    /** Null where nothing is sent to a collector. */
    telemetry: await startTelemetry({
      ...{ settings: env.telemetry, logger, masking: known.masking, version, instanceId, open },
    }),
    /** The facts of the opening, for the line that the server prints. */
    started: { migrations: applied, interrupted: interrupted.length },
  };
}

/** Those of both addresses, as they are sent. */
function readPasswords({ kind, url, directUrl }: Env["database"]): string[] {
  if (kind !== "postgres") return [];
  return [url, directUrl ?? url].map((address) => decodeURIComponent(new URL(address).password));
}

function readVersion(home: string): string {
  const manifest = JSON.parse(readFileSync(path.join(home, "package.json"), "utf8")) as { version: string };
  return manifest.version;
}
