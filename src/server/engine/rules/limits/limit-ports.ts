/** One count of a limit: what is used of it by one user, say. Amounts are whole units: calls, bytes, millionths of a dollar. */
export interface LimitSlot {
  ruleId: string;
  key: string;
  minutes: number;
  most: number;
}

/** The amount that a call adds to a count, or gives back. */
export interface LimitCharge {
  ruleId: string;
  key: string;
  /** The part of the window; see `sliding-usage.ts`. */
  part: number;
  units: number;
  /** When the part no longer counts. */
  expiresAt: number;
}

export interface Taken {
  isTaken: boolean;
  /** The usage after the units were taken. */
  used: number;
  /** When there is room again; null where there is room, or where that is not known. */
  freeAt: number | null;
}

/** Counts what limits have let through. Decides for all instances of the server. */
export interface LimitCounter {
  /** Charges are stored with the records of their calls: the counter itself keeps them in memory alone. */
  readonly storesWithCalls: boolean;
  /** Takes the units where at least one unit is left. @param isForced takes them also where none is left */
  take(slot: LimitSlot, charge: LimitCharge, at: number, isForced: boolean): Taken | Promise<Taken>;
  /** Counts the actual units of a call, or returns unused ones. */
  add(charge: LimitCharge): void | Promise<void>;
}
