import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { LOCAL_PRINCIPAL as BY } from "../../lib/contract/access";
import { waitUntil } from "../../lib/wait-until.test-support";
import { HAS_POSTGRES } from "../platform/db/postgres/scratch-postgres.test-support";
import type { Container } from "./container";
import { startInstances } from "./start-copies.test-support";

/** A receiver that holds its answers until it is told. */
async function receive() {
  const received: string[] = [];
  const answers: (() => void)[] = [];
  const server = createServer((request, response) => {
    received.push(String(request.headers["webhook-id"]));
    request.resume().on("end", () => answers.push(() => response.writeHead(204).end()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const answer = (): void => {
    for (const each of answers.splice(0)) each();
  };
  return { received, answer, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

const find = async ({ services }: Container, kind: string) =>
  (await services.jobs.list(BY)).find((queue) => queue.kind === kind);

describe.skipIf(!HAS_POSTGRES)("instances of the server on one database", () => {
  it("show the same jobs, run each once, and send what an instance that stops has begun", async () => {
    const { copies } = await startInstances(2);
    const [one, other] = copies as [Container, Container];
    const { received, answer, url } = await receive();
    const input = {
      url,
      description: "",
      events: ["execution.failed" as const],
      tools: [],
      enabled: true,
      approverId: null,
    };
    const { id } = await one.services.webhooks.create(BY, input);
    const failing = { name: "no_such_tool", argumentsText: "{}" };
    await other.services.executions.run(BY, { tool: failing.name, argumentsText: failing.argumentsText });
    await waitUntil(() => expect(received).toHaveLength(1));
    for (const copy of copies) expect(await find(copy, "webhooks.deliver")).toMatchObject({ running: 1, waiting: 0 });
    // The copy that sends it stops: the other one sends it, with the same id.
    const closing = other.close();
    await waitUntil(() => expect(received).toHaveLength(2));
    answer();
    await closing;
    await waitUntil(async () =>
      expect(await one.services.webhooks.deliveries(BY, id)).toMatchObject([{ status: "delivered", attempts: 1 }]),
    );
    expect(new Set(received).size).toBe(1);
    // The job of a webhook may look again for what is due; nothing was sent a third time.
    const ended = { running: 0, waiting: 0, failed: 0 };
    await waitUntil(async () => expect(await find(one, "webhooks.deliver")).toMatchObject(ended));
    expect((await find(one, "webhooks.deliver"))?.succeeded).toBeGreaterThanOrEqual(1);
    expect(received).toHaveLength(2);
    // What repeats waits once for both.
    expect(await find(one, "retention.sweep")).toMatchObject({ waiting: 1, everyMs: 3_600_000 });
  });
});
