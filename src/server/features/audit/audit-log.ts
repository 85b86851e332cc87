import type { Principal } from "../../../lib/contract/access";
import type { AuditOutcome, AuditTarget } from "../../../lib/contract/audit";
import { isPlainObject } from "../../../lib/contract/json";
import type { Masking } from "../../engine/ports";
import type { AuditStore, NewAuditEntry } from "./audit-store";
import { RepeatedAttempts } from "./repeated-attempts";

const MAX_NAME_CHARS = 300;
const MAX_ERROR_CHARS = 1_000;

/** An event before secrets are masked and before its position in the log is known. */
export interface AuditEvent {
  by: Pick<Principal, "id" | "name" | "token" | "origin">;
  action: string;
  target: AuditTarget | null;
  outcome: AuditOutcome;
  error?: string;
  before?: unknown;
  after?: unknown;
}

export interface AuditLog {
  /** Resolves when the entry is stored. */
  record(event: AuditEvent): Promise<void>;
}

export interface AuditLogPorts {
  store: Pick<AuditStore, "append">;
  now(): number;
  logger: { error(fields: object, message: string): void };
  /** Masks the secrets that this installation knows. */
  masking: Pick<Masking, "inText" | "inValue">;
}

export interface RunningAuditLog extends AuditLog {
  /** Writes the attempts that were only counted so far. */
  close(): Promise<void>;
}

export function createAuditLog({ store, now, logger, masking }: AuditLogPorts): RunningAuditLog {
  const attempts = new RepeatedAttempts(append);

  function toEntry({ by, action, target, outcome, error, before, after }: AuditEvent) {
    const texts = toAuditTexts(masking.inValue(before ?? null), masking.inValue(after ?? null));
    return {
      at: now(),
      actor: { id: cutText(by.id, MAX_NAME_CHARS), name: cutText(by.name, MAX_NAME_CHARS) },
      token: by.token === null ? null : (by.token.name ?? by.token.id),
      address: by.origin?.address ?? null,
      door: by.origin?.door ?? "system",
      action,
      target: target && { kind: target.kind, name: cutText(masking.inText(target.name), MAX_NAME_CHARS) },
      outcome,
      error: error === undefined ? null : cutText(masking.inText(error), MAX_ERROR_CHARS),
      ...texts,
      times: 1,
    } satisfies NewAuditEntry;
  }

  async function append(entry: NewAuditEntry): Promise<void> {
    try {
      await store.append(entry);
    } catch (error) {
      // The server's log keeps the entry; it has no states, which may be long.
      const { before: _before, after: _after, ...facts } = entry;
      logger.error({ err: error, entry: facts }, "An entry of the audit log could not be written");
      throw error;
    }
  }

  return {
    async record(event) {
      const entry = toEntry(event);
      if (event.outcome === "done" || attempts.admit(entry)) await append(entry);
    },
    close: () => attempts.flush().catch(() => undefined),
  };
}

const MASK = "••••••••";
/** Names of fields whose text is never written, wherever they are. */
const SECRET_NAME =
  /^(?:.*password|.*secret|.*api[_-]?key|.*access[_-]?key|.*private[_-]?key|token|.*[_-]token|.*(?:access|refresh|id|bearer)token|(?:proxy-)?authorization|(?:set-)?cookie)$/i;
const MAX_CHARS = 16_000;
const MAX_TEXT_CHARS = 2_000;
/** Deeper values are compared and cut as text. */
const MAX_LEVELS = 8;

/** JSON texts of a target before and after a change: without secrets, and of bounded length. */
function toAuditTexts(before: unknown, after: unknown): { before: string | null; after: string | null } {
  const texts = { before: toText(before), after: toText(after) };
  if (!isTooLong(texts.before) && !isTooLong(texts.after)) return texts;
  // Keeps only the differences, with long texts cut: a cut at the end could hide the change.
  const [left, right] = keepDifferences(plain(texts.before), plain(texts.after));
  return { before: cutText(toText(shorten(left))), after: cutText(toText(shorten(right))) };
}

const isTooLong = (text: string | null): boolean => text !== null && text.length > MAX_CHARS;
const plain = (text: string | null): unknown => (text === null ? undefined : JSON.parse(text));

function toText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const text: string | undefined = JSON.stringify(value, (name, member: unknown) => {
    if (typeof member === "string" && member !== "" && SECRET_NAME.test(name)) return MASK;
    return typeof member === "bigint" ? String(member) : member;
  });
  return text ?? null;
}

function keepDifferences(before: unknown, after: unknown, levels = MAX_LEVELS): [unknown, unknown] {
  if (levels === 0 || !isPlainObject(before) || !isPlainObject(after)) return [before, after];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const left = new Map<string, unknown>();
  const right = new Map<string, unknown>();
  for (const name of names) {
    const one = ownValue(before, name);
    const other = ownValue(after, name);
    if (JSON.stringify(one) === JSON.stringify(other)) continue;
    const [oneRest, otherRest] = keepDifferences(one, other, levels - 1);
    left.set(name, oneRest);
    right.set(name, otherRest);
  }
  return [Object.fromEntries(left), Object.fromEntries(right)];
}

const ownValue = (object: object, name: string): unknown =>
  Object.hasOwn(object, name) ? Reflect.get(object, name) : undefined;

function shorten(value: unknown, levels = MAX_LEVELS): unknown {
  if (typeof value === "string") return cutText(value, MAX_TEXT_CHARS);
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return cutText(JSON.stringify(value), MAX_TEXT_CHARS);
  if (Array.isArray(value)) return value.map((item) => shorten(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shorten(member, levels - 1)]));
}

/** @param limit of characters, above which the end is replaced by how much it was */
function cutText<T extends string | null>(text: T, limit = MAX_CHARS): T | string {
  if (text === null || text.length <= limit) return text;
  return `${text.slice(0, limit)}… (${text.length - limit} more characters)`;
}
