import type { AccessRules } from "../../../lib/contract/access-rules";
import { SYSTEM_ACTOR } from "../../../lib/contract/audit";
import type { AuditLog } from "../audit/audit-log";
import type { AccessEndings } from "./access-endings";
import type { AccountStore } from "./account-store";

const DAY_MS = 24 * 60 * 60_000;
/** A longer pause between checks means that the server was down or its clock was changed. */
const MAX_GAP_MS = DAY_MS;
const WATCHED = "accounts.absenceWatched";

export interface AbsentAccountsPorts {
  store: Pick<AccountStore, "listSeenAtProvider" | "findUser" | "updateUser">;
  endings: Pick<AccessEndings, "endAll">;
  audit: Pick<AuditLog, "record">;
  settings: { read(key: string): Promise<string | null>; write(key: string, value: string): Promise<void> };
  readRules(): Promise<AccessRules>;
  /** The user was switched off. */
  onLeft(userId: string): Promise<void>;
  /** The name of the identity provider. */
  provider: string;
  now(): number;
}

/**
 * The time since which sign-ins were possible without a long pause, and the last time at which they were. Epoch
 * milliseconds.
 */
interface Watched {
  since: number;
  until: number;
}

function readWatched(text: string | null): Watched | null {
  try {
    const { since, until } = JSON.parse(text ?? "null") as Watched;
    return Number.isFinite(since) && Number.isFinite(until) ? { since, until } : null;
  } catch {
    return null;
  }
}

/**
 * Switches off accounts that the identity provider has not seen for the days of the rule. Only time counts in which the
 * server ran, so that an outage or a changed clock ends no account; the last admin stays.
 * @returns a function that checks the accounts, to be repeated well within a day
 */
export function createAbsentAccounts(ports: AbsentAccountsPorts): () => Promise<void> {
  const { store, endings, audit, settings, now } = ports;

  /** @returns since when absence counts */
  async function watch(at: number): Promise<number> {
    const before = readWatched(await settings.read(WATCHED));
    const isKnown = before !== null && before.since <= at && Math.abs(at - before.until) <= MAX_GAP_MS;
    const since = isKnown ? before.since : at;
    await settings.write(WATCHED, JSON.stringify({ since, until: at }));
    return since;
  }

  async function switchOff(userId: string, absentDays: number, seenAt: number): Promise<void> {
    const user = await store.findUser(userId);
    if (user === null || user.disabledAt !== null) return;
    // The change fails for the last admin.
    if (!(await store.updateUser(userId, { disabledAt: now() }))) return;
    const ended = await endings.endAll(userId);
    await ports.onLeft(userId);
    await audit.record({
      by: { ...SYSTEM_ACTOR, token: null },
      action: "signOn.switchOff",
      target: { kind: "person", name: `${user.name} <${user.email}>` },
      outcome: "done",
      before: { maySignIn: true },
      after: {
        maySignIn: false,
        provider: ports.provider,
        absentDays,
        lastSeenAt: new Date(seenAt).toISOString(),
        ...ended,
      },
    });
  }

  return async () => {
    const at = now();
    const since = await watch(at);
    const { absentDays } = await ports.readRules();
    if (absentDays === null) return;
    const limit = at - absentDays * DAY_MS;
    if (since > limit) return;
    for (const { userId, seenAt } of await store.listSeenAtProvider()) {
      if (seenAt <= limit) await switchOff(userId, absentDays, seenAt);
    }
  };
}
