import type { CallKind, CallOutcome, CallRegistry } from "./call-registry";

/** All calls are this process's. */
export function createCallRegistry(): CallRegistry {
  const handlers = new Map<CallKind, Parameters<CallRegistry["handle"]>[1]>();

  async function reach(kind: CallKind, id: string, payload: string | null): Promise<CallOutcome> {
    return { status: (await handlers.get(kind)?.(id, payload)) === true ? "done" : "ended" };
  }

  return {
    handle: (kind, carryOut) => void handlers.set(kind, carryOut),
    cancel: (kind, id) => reach(kind, id, null),
    send: reach,
  };
}
