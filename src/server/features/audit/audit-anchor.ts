import { createHmac } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { getMessage } from "../../../lib/get-message";
import { isEqual } from "./audit-chain";

export interface ChainEnd {
  seq: number;
  hash: string;
}

/** The ends of the chains as they are kept outside the database, so that a rollback of rows and their head shows. */
export interface AnchoredEnds {
  audit: ChainEnd | null;
  executions: ChainEnd | null;
}

/** Kept by the running server and in a file beside the database. */
export interface AuditAnchor {
  /** The last end that this process, or the previous one, noted. */
  readonly ends: Readonly<AnchoredEnds>;
  /** Why the file could not be believed; null where it could, or was not there. */
  readonly problem: string | null;
  /** Costs the caller nothing: the file is written later, once for all ends noted until then. */
  note(chain: keyof AnchoredEnds, end: ChainEnd): void;
  /** Resolves when the file has every noted end. */
  flush(): Promise<void>;
}

/** The anchors of several instances, which exchange the ends of the log in their anchor files. */
export interface SharedAnchor extends AuditAnchor {
  /** The ends as the file has them. */
  toText(): string;
  /** Accepts the ends of another instance where they are later. Ends that the key did not sign are ignored. */
  accept(text: string): void;
}

/** The storage of the ends. */
export interface AnchorFile {
  path: string;
  /** @returns null where there is no file @throws Error where it cannot be read */
  read(): string | null;
  replace(text: string): Promise<void>;
}

/** Lines of the server's log that name the ends are at least this far apart. */
const LOG_EVERY_MS = 10 * 60_000;

/** A burst of entries is one write; what a crash loses of the file, the log has. */
const WRITE_AFTER_MS = 100;

const endSchema = z.object({ seq: z.number().int().min(0), hash: z.string() }).nullable();
const anchorSchema = z.object({ audit: endSchema, executions: endSchema, mac: z.string() });

interface AnchorOptions {
  file: AnchorFile;
  /** Hexadecimal digits that are not in the database. */
  key: string;
  now(): number;
  logger: { info(fields: object, message: string): void; error(fields: object, message: string): void };
}

const NOTHING: AnchoredEnds = { audit: null, executions: null };

/** @returns the ends that the file names; null where there is no file */
export function readAnchor(file: AnchorFile, key: string): { ends: AnchoredEnds; problem: string | null } | null {
  let text: string | null;
  try {
    text = file.read();
  } catch (error) {
    return { ends: NOTHING, problem: `the anchor file ${file.path} could not be read: ${getMessage(error)}` };
  }
  if (text === null) return null;
  const ends = parseEnds(text, key);
  if (ends !== null) return { ends, problem: null };
  return { ends: NOTHING, problem: `the anchor file ${file.path} was changed, or another key is in use` };
}

/** Null for a text that is not signed with the key. */
function parseEnds(text: string, key: string): AnchoredEnds | null {
  try {
    const { mac, ...ends } = anchorSchema.parse(JSON.parse(text));
    return isEqual(mac, sign(ends, key)) ? ends : null;
  } catch {
    return null;
  }
}

const formatEnds = (ends: AnchoredEnds, key: string): string =>
  `${JSON.stringify({ ...ends, mac: sign(ends, key) })}\n`;

function sign({ audit, executions }: AnchoredEnds, key: string): string {
  const fields = [audit?.seq ?? null, audit?.hash ?? null, executions?.seq ?? null, executions?.hash ?? null];
  return createHmac("sha256", Buffer.from(key, "hex")).update(JSON.stringify(fields)).digest("hex");
}

/** The later end of two: of two processes on one database, the one that saw more counts. */
function later(one: ChainEnd | null, other: ChainEnd | null): ChainEnd | null {
  return one === null || (other !== null && other.seq > one.seq) ? other : one;
}

export function openAnchor({ file, key, now, logger }: AnchorOptions): SharedAnchor {
  const found = readAnchor(file, key);
  const ends = { ...(found?.ends ?? NOTHING) };
  let isDirty = false;
  let writing: Promise<void> | null = null;
  let failed = false;
  let loggedAt = Number.NEGATIVE_INFINITY;
  let logged = "";

  function logEnds(): void {
    const line = JSON.stringify(ends);
    if (line === logged) return;
    [logged, loggedAt] = [line, now()];
    const format = (end: ChainEnd | null) => (end === null ? null : `${end.seq}:${end.hash}`);
    logger.info({ auditEnd: format(ends.audit), executionsEnd: format(ends.executions) }, "End of the audit log");
  }

  async function writeWhileDirty(): Promise<void> {
    while (isDirty) {
      isDirty = false;
      const there = readAnchor(file, key)?.ends ?? NOTHING;
      const next = { audit: later(ends.audit, there.audit), executions: later(ends.executions, there.executions) };
      try {
        await file.replace(formatEnds(next, key));
      } catch (error) {
        if (!failed) logger.error({ err: error, file: file.path }, "The anchor of the audit log could not be written");
        failed = true;
      }
    }
  }

  function note(chain: keyof AnchoredEnds, end: ChainEnd): void {
    ends[chain] = end;
    isDirty = true;
    if (now() - loggedAt >= LOG_EVERY_MS) logEnds();
    writing ??= setTimeout(WRITE_AFTER_MS)
      .then(writeWhileDirty)
      .finally(() => {
        writing = null;
      });
  }

  return {
    ends,
    problem: found?.problem ?? null,
    note,
    toText: () => formatEnds(ends, key),
    accept(text) {
      const others = parseEnds(text, key);
      for (const chain of ["audit", "executions"] as const) {
        const end = later(ends[chain], others?.[chain] ?? null);
        if (end !== null && end !== ends[chain]) note(chain, end);
      }
    },
    async flush() {
      while (writing !== null) await writing;
      logEnds();
    },
  };
}
