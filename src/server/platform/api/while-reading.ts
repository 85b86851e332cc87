import { TRPCError } from "@trpc/server";
import type { ApiContext } from "../../main/api/context";
import { watchReader } from "../shared/watch-reader";

/**
 * The items of a stream, until its reader leaves or the server stops.
 * @param open begins the stream, which ends when the signal aborts
 * @throws TRPCError once the reader is signed out or may not read any more
 */
export async function* whileReading<Item>(
  { actor, recheck, onAccessChange, stopping }: Pick<ApiContext, "actor" | "recheck" | "onAccessChange" | "stopping">,
  left: AbortSignal | undefined,
  open: (ended: AbortSignal) => AsyncIterable<Item>,
): AsyncGenerator<Item, void, undefined> {
  const signedOut = new AbortController();
  const onLost = (): void => signedOut.abort();
  const stop = watchReader({ userId: actor.id, recheck, onChange: onAccessChange, onLost });
  try {
    yield* open(AbortSignal.any([signedOut.signal, stopping, ...(left ? [left] : [])]));
  } finally {
    stop();
  }
  if (signedOut.signal.aborted) throw new TRPCError({ code: "UNAUTHORIZED", message: "Sign in again" });
}
