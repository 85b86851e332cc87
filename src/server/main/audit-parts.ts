import { mkdirSync } from "node:fs";
import { SYSTEM_ACTOR } from "../../lib/contract/audit";
import type { Pause } from "../../lib/contract/pause";
import { openAnchor } from "../features/audit/audit-anchor";
import { createAuditChain } from "../features/audit/audit-chain";
import { createAuditLog } from "../features/audit/audit-log";
import { createAuditService } from "../features/audit/audit-service";
import type { NewAuditEntry } from "../features/audit/audit-store";
import { createAuditStore } from "../features/audit/db/audit-store";
import { createExecutionDigestStore } from "../features/audit/db/digest-store";
import { createDigestChain, createMarks } from "../features/audit/execution-digest";
import { createExecutionDigester } from "../features/audit/execution-digester";
import { createSmallFile } from "../platform/config/small-file";
import { createTopic } from "../platform/coordination/bulletin";
import { PRIVATE_FOLDER } from "../platform/db/private-files";
import type { Foundation } from "./foundation";

/** The purposes of the keys: the command that verifies the log derives the same ones. */
export const AUDIT_KEYS = {
  log: "audit log",
  digests: "execution digests",
  marks: "execution marks",
  anchor: "audit anchor",
};

/** How often the server looks for an hour that is over. */
const DIGEST_EVERY_MS = 10 * 60_000;

const ENDS = createTopic<null, string>("audit.ends");

type LogParts = Pick<Foundation, "db" | "env" | "secretBox" | "logger" | "masking"> &
  Partial<Pick<Foundation, "coordination" | "pause">>;

/** Opens the audit log, with the anchor outside the database. */
export async function openAuditLog({ db, env, secretBox, logger, masking, coordination, pause }: LogParts) {
  // With PostgreSQL, opening the database creates no folder.
  mkdirSync(env.database.folder, { recursive: true, mode: PRIVATE_FOLDER });
  const now = (): number => Date.now();
  const anchor = openAnchor({
    file: createSmallFile(env.database.anchorFile),
    key: secretBox.derive(AUDIT_KEYS.anchor),
    now,
    logger,
  });
  // Each instance of the server keeps what it saw. A machine that had none yet takes what the others know, so that no file is missing there.
  for (const text of (await coordination?.bulletin.ask(ENDS, null)) ?? []) anchor.accept(text);
  coordination?.bulletin.on(ENDS, () => anchor.toText());
  const onDamage = (damage: string): void => logger.error({ damage }, "The audit log is damaged: run audit:verify");
  const unrecorded = pause?.unrecorded ?? null;
  const store = createAuditStore({
    db,
    chain: createAuditChain(secretBox.derive(AUDIT_KEYS.log)),
    anchor,
    onDamage,
    isRestored: unrecorded !== null,
  });
  await store.begin();
  if (unrecorded !== null) {
    await store.append(describeRestore(unrecorded, now()));
    await pause?.noteRecorded();
  }
  // A log that is sealed as anchored is never without its file.
  await anchor.flush();
  const log = createAuditLog({ store, now, logger, masking });
  return { store, anchor, log: { ...log, close: () => log.close().then(() => anchor.flush()) } };
}

/**
 * The entry of a restore, which the command that restores cannot write: its backup may be of a version without a log.
 */
function describeRestore(pause: Pause, at: number): NewAuditEntry {
  return {
    at,
    actor: SYSTEM_ACTOR,
    token: null,
    address: null,
    door: "system",
    action: "database.restored",
    target: { kind: "database", name: pause.source ?? "copy" },
    outcome: "done",
    error: null,
    times: 1,
    before: null,
    after: JSON.stringify({ reason: pause.reason, restoredAt: pause.at, paused: true }),
  };
}

/** The audit log, what the console reads of it, and the digests of executions beside it. */
export async function createAuditParts(foundation: Foundation) {
  const { db, secretBox, coordination } = foundation;
  const { store, anchor, log } = await openAuditLog(foundation);
  const digests = createExecutionDigestStore({
    db,
    chain: createDigestChain(secretBox.derive(AUDIT_KEYS.digests)),
    anchor,
  });
  const marks = createMarks(secretBox.derive(AUDIT_KEYS.marks));
  let stopping = false;
  const digest = createExecutionDigester({
    store: digests,
    marks,
    now: () => Date.now(),
    isStopping: () => stopping,
  });
  coordination.jobs.repeat("executions.digest", DIGEST_EVERY_MS, digest, { staysInside: true });
  return {
    log: {
      ...log,
      close(): Promise<void> {
        stopping = true;
        return log.close();
      },
    },
    service: createAuditService({ store, log }),
    /** Names executions that are about to be deleted, inside the transaction that deletes them. */
    recordDeletedExecutions: digests.recordDeleted,
  };
}
