/** Names the edit of a call's arguments that this tab keeps while its approval is open. */
export const toDraftName = (executionId: string): string => `approval.${executionId}`;
