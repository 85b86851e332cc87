import type { LensFailures } from "../../../lib/contract/lens";
import type { LensInput } from "../../engine/lens/lens-ports";

/** A stored result of a tool, without the result itself. */
export interface LensSample {
  seq: number;
  id: string;
  queuedAt: number;
  storedBytes: number;
}

/** The recorded calls that lenses concern. */
export interface LensStore {
  /**
   * Newest first: whole results among the next calls of a tool.
   * @param below only calls before this `seq` @returns the last `seq` that was looked at; null at the end
   */
  samples(toolName: string, below: number, limit: number): Promise<{ samples: LensSample[]; last: number | null }>;
  /** Reads a whole stored result; null where there is none. */
  result(id: string): Promise<Pick<LensInput, "resultText" | "fromServer"> | null>;
  failures(toolName: string): Promise<LensFailures>;
}
