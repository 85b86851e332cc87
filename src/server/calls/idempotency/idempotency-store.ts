/** The request and the target that a key stands for. */
export interface ReservedKey {
  fingerprint: string;
  /** The execution or run; empty once the execution was deleted. */
  targetId: string;
}

export interface IdempotencyStore {
  /**
   * Stores a key unless the owner has used it since `notBefore`; older keys are deleted.
   * @returns what the key stands for now, and whether it did before
   */
  reserve(
    owner: string,
    key: string,
    wanted: ReservedKey & { createdAt: number },
    notBefore: number,
  ): Promise<ReservedKey & { repeated: boolean }>;
}
