import { expect, it } from "vitest";
import { streamRunEvents } from "./run-event-stream";

it("a stream of a run's events ends once its reader is signed out", async () => {
  let signOut = (): void => undefined;
  const runs = {
    get: async () => ({ status: "running", eventCount: 1 }),
    readLog: async () => ({ events: [{ index: 0, type: "run_started" }] }),
  };
  const response = await streamRunEvents(runs as never, "run_1", new Request("http://localhost/"), {
    stopping: new AbortController().signal,
    watch: (onLost) => {
      signOut = onLost;
      return () => undefined;
    },
  });
  const chunks: string[] = [];
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(new TextDecoder().decode(chunk));
    if (chunks.join("").includes("event: run_started")) signOut();
  }
  expect(chunks).toEqual([":\n\n", expect.stringContaining("event: run_started")]);
});
