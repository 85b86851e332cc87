import { expect, it } from "vitest";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { streamProgress } from "./stream-progress";

async function readAll<Part>(parts: AsyncIterable<Part>): Promise<Part[]> {
  const read: Part[] = [];
  for await (const part of parts) read.push(part);
  return read;
}

it("work that ends soon has its result alone", async () => {
  const parts = await streamProgress(undefined, async (report) => {
    report(1);
    return "done";
  });
  expect(await readAll(parts)).toEqual([{ result: "done" }]);
});

it("longer work has its latest progress, then its result", async () => {
  let finish = (_result: string): void => undefined;
  const parts = await streamProgress(undefined, (report: (progress: number) => void) => {
    report(1);
    report(2);
    return new Promise<string>((resolve) => {
      finish = resolve;
    });
  });
  const reader = parts[Symbol.asyncIterator]();
  expect((await reader.next()).value).toEqual({ progress: 2 });
  finish("done");
  expect((await reader.next()).value).toEqual({ result: "done" });
  expect((await reader.next()).done).toBe(true);
});

it("work that fails before its first progress rejects the call, with its own error", async () => {
  const refusal = new Error("tools: must be a list");
  await expect(streamProgress(undefined, () => Promise.reject(refusal))).rejects.toBe(refusal);
});

it("work ends at its next report once its reader has left", async () => {
  const reader = new AbortController();
  let ended = false;
  const parts = await streamProgress(reader.signal, async (report: (progress: number) => void) => {
    try {
      for (let step = 0; ; step += 1) {
        report(step);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    } finally {
      ended = true;
    }
  });
  reader.abort();
  await waitUntil(() => ended);
  await expect(readAll(parts)).rejects.toMatchObject({ code: "CLIENT_CLOSED_REQUEST" });
});
