import type { Actor } from "../../../lib/contract/actor";
import type { LiveEvent } from "../../../lib/contract/live-event";
import type { RunDetail } from "../../../lib/contract/run";
import type { RunStarter } from "../../engine/agent/run-starter";
import type { Clock, Logger } from "../../engine/ports";
import type { Bulletin } from "../../platform/coordination/bulletin";
import type { Copies } from "../../platform/coordination/copies";
import type { TranscriptStore } from "./transcript-store";

export interface TranscriptServicePorts {
  store: TranscriptStore;
  copies: Pick<Copies, "self" | "list" | "isLiving">;
  bulletin: Bulletin;
  runs: RunStarter;
  /** The author of the runs that answer queries. */
  actor: Actor;
  /** Null where there is none. */
  getRun: (id: string) => Promise<Pick<RunDetail, "status" | "events"> | null>;
  /** Whether only some people may read it. */
  isPrivateRun: (id: string) => Promise<boolean>;
  /** @throws AppError for a model provider that is unknown or has no key */
  checkProvider: (name: string) => Promise<unknown>;
  clock: Clock;
  /** At least 16 characters that cannot be guessed. */
  newId: () => string;
  logger: Logger;
  publish: (event: LiveEvent) => void;
  /** After a failure of the database a search is repeated, at the latest after this time. */
  retryMs?: number | undefined;
}

export const TRANSCRIPT_LIMITS = {
  /** Open at the same time. */
  openTranscripts: 200,
  segments: 100_000,
  characters: 20_000_000,
} as const;
