/** How often instances give signs of life, and when they are missed. */
export interface InstanceTiming {
  renewMs: number;
  /** Silence after which the others take over what an instance owned. */
  lostMs: number;
  /** After this long without contact an instance stops what it owns, and the others no longer wait for its answers. */
  staleMs: number;
  /** What instances left is settled this often, besides at once after each. */
  settleMs: number;
  /** How long a question waits for answers by default. */
  askMs: number;
  /** Posts within this time are sent together. */
  batchMs: number;
  /** The interval of reads without a notification. */
  pollMs: number;
  /** The interval of reads where notifications do not arrive, behind a pooler of connections. */
  pollOnlyMs: number;
  pruneMs: number;
}

export const INSTANCE_TIMING: InstanceTiming = {
  renewMs: 2_000,
  lostMs: 9_000,
  staleMs: 6_000,
  settleMs: 30_000,
  askMs: 1_000,
  batchMs: 20,
  pollMs: 2_000,
  pollOnlyMs: 200,
  pruneMs: 60_000,
};
