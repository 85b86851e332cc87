/** The request and the target that a key identifies. */
export interface ReservedKey {
  fingerprint: string;
  /** The execution or run; empty once the execution was deleted. */
  targetId: string;
}

export interface IdempotencyStore {
  /**
   * Stores a key unless the owner has used it since `notBefore`; older keys are deleted.
   * @returns what the key identifies now, and whether it did so before
   */
  reserve(
    owner: string,
    key: string,
    wanted: ReservedKey & { createdAt: number },
    notBefore: number,
  ): Promise<ReservedKey & { repeated: boolean }>;
}
