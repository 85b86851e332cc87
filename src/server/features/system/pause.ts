import { z } from "zod";
import { type Pause, pauseSchema } from "../../../lib/contract/pause";
import { PAUSED_WORK } from "../../../lib/contract/paused-work";
import { getMessage } from "../../../lib/get-message";
import type { Logger } from "../../engine/ports";
import { type Bulletin, createTopic } from "../../platform/coordination/bulletin";
import type { PausePort } from "../../platform/coordination/pausable-jobs";
import { AppError } from "../../platform/shared/app-error";
import type { DatabaseOrigin } from "./database-origin";

const PAUSE_SETTING = "system.pause";
const IDENTITY_SETTING = "system.database";
const RESUMED = createTopic<null>("system.resumed");

/** Null, and a missing row: the server is not paused. */
const storedSchema = pauseSchema.extend({ isRecorded: z.boolean() }).nullable();
type StoredPause = NonNullable<z.infer<typeof storedSchema>>;

interface SettingPorts {
  read(key: string): Promise<string | null>;
  write(key: string, value: string): Promise<void>;
  replace(key: string, before: string | null, value: string): Promise<boolean>;
}

export interface PausePorts {
  settings: SettingPorts;
  origin: DatabaseOrigin;
  bulletin: Pick<Bulletin, "post" | "on">;
  logger: Logger;
  now(): number;
}

export interface ServerPause extends PausePort {
  state(): Pause | null;
  /** The restore that the audit log has no entry of yet; null for none. */
  readonly unrecorded: Pause | null;
  noteRecorded(): Promise<void>;
  /** Makes this server the original. @returns what paused it @throws AppError where it is not paused */
  resume(): Promise<Pause>;
}

function parsePause(text: string | null): StoredPause | null {
  return text === null ? null : storedSchema.parse(JSON.parse(text));
}

/** Reads whether the database is a copy, before any automatic work begins. */
export async function openPause(ports: PausePorts): Promise<ServerPause> {
  const { settings, origin, bulletin, logger, now } = ports;
  const listeners: (() => void | Promise<void>)[] = [];
  await noteOrigin(ports);
  let stored = parsePause(await settings.read(PAUSE_SETTING));
  const toPause = (found: StoredPause | null): Pause | null => {
    if (found === null) return null;
    const { reason, at, source } = found;
    return { reason, at, source };
  };
  if (stored !== null) {
    logger.warn(toPause(stored) ?? {}, `This server is paused, since its database is a copy: ${PAUSED_WORK} wait`);
  }

  async function goOn(): Promise<void> {
    stored = null;
    logger.info({ at: now() }, "This server is the original now: what was paused begins");
    for (const listener of listeners) {
      try {
        await listener();
      } catch (error) {
        logger.error({ err: error, reason: getMessage(error) }, "A paused part of the server could not begin");
      }
    }
  }

  bulletin.on(RESUMED, async () => {
    if (stored !== null) await goOn();
  });
  return {
    state: () => toPause(stored),
    isPaused: () => stored !== null,
    onResume: (listener) => void listeners.push(listener),
    get unrecorded() {
      return stored === null || stored.isRecorded ? null : toPause(stored);
    },
    async noteRecorded() {
      if (stored === null) return;
      stored = { ...stored, isRecorded: true };
      await settings.write(PAUSE_SETTING, JSON.stringify(stored));
    },
    async resume() {
      const text = await settings.read(PAUSE_SETTING);
      const found = toPause(parsePause(text));
      if (found === null || text === null) throw new AppError("CONFLICT", "This server is not paused");
      const identity = await origin.readIdentity();
      // Stored first, so that a start after an interruption is still paused.
      if (identity !== null) await settings.write(IDENTITY_SETTING, identity);
      if (!(await settings.replace(PAUSE_SETTING, text, "null"))) {
        throw new AppError("CONFLICT", "This server is not paused any more: another user resumed it");
      }
      bulletin.post(RESUMED, null);
      await goOn();
      return found;
    },
  };
}

/** Stores that the database was restored, or is another one of PostgreSQL than at the last start. */
async function noteOrigin({ settings, origin, now }: PausePorts): Promise<void> {
  const identity = await origin.readIdentity();
  const known = await settings.read(IDENTITY_SETTING);
  // Rows that were moved from PostgreSQL into a file have the identity of another database.
  if (identity === null) {
    if (known !== null && known !== "") await settings.write(IDENTITY_SETTING, "");
  } else if (known === null || known === "") await settings.replace(IDENTITY_SETTING, known, identity);
  else if (!isSameDatabase(known, identity)) await pauseOnce(settings, { reason: "copied", at: now(), source: null });
  const mark = await origin.readRestoreMark();
  if (mark === null) return;
  await settings.write(
    PAUSE_SETTING,
    JSON.stringify({ reason: "restored", at: mark.at, source: mark.source, isRecorded: false } satisfies StoredPause),
  );
  await origin.removeRestoreMark();
}

/** A part that could not be read at one of the two starts is not compared. */
function isSameDatabase(one: string, other: string): boolean {
  const [oneSystem, oneDatabase] = one.split("/");
  const [otherSystem, otherDatabase] = other.split("/");
  if (oneDatabase !== otherDatabase) return false;
  return oneSystem === "" || otherSystem === "" || oneSystem === otherSystem;
}

/** Several instances of the server may start together. */
async function pauseOnce(settings: SettingPorts, pause: Pause): Promise<void> {
  const before = await settings.read(PAUSE_SETTING);
  if (parsePause(before) !== null) return;
  await settings.replace(PAUSE_SETTING, before, JSON.stringify({ ...pause, isRecorded: false } satisfies StoredPause));
}
