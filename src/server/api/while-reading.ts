import { TRPCError } from "@trpc/server";
import { explainDenial, isLimited } from "../../lib/contract";
import type { ApiContext } from "./context";

/** How often an open stream asks whether its reader may still read. */
const CHECK_MS = 10_000;

/**
 * The items of a stream, until its reader leaves or the server stops.
 * @param open begins the stream, which ends when the signal aborts
 * @throws TRPCError once the reader is signed out or may not read any more
 */
export async function* whileReading<Item>(
  { recheck, stopping }: Pick<ApiContext, "recheck" | "stopping">,
  left: AbortSignal | undefined,
  open: (ended: AbortSignal) => AsyncIterable<Item>,
): AsyncGenerator<Item, void, undefined> {
  const signedOut = new AbortController();
  const timer = setInterval(() => {
    void recheck().then((reader) => {
      const limited = reader !== null && reader.token !== null && isLimited(reader.token);
      if (reader === null || limited || explainDenial(reader, "read") !== null) signedOut.abort();
    });
  }, CHECK_MS);
  timer.unref();
  try {
    yield* open(AbortSignal.any([signedOut.signal, stopping, ...(left ? [left] : [])]));
  } finally {
    clearInterval(timer);
  }
  if (signedOut.signal.aborted) throw new TRPCError({ code: "UNAUTHORIZED", message: "Sign in again" });
}
