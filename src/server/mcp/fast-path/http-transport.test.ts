import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { createReadings } from "../../platform/collect-at-rest";
import { Heartbeat } from "./http-exchange";
import { HttpServerTransport } from "./http-transport";

class FakeResponse extends EventEmitter {
  destroyed = false;
  writableEnded = false;
  writeHead() {}
  write() {}
}

function listenOnce(transport: HttpServerTransport): WeakRef<FakeResponse> {
  const response = new FakeResponse();
  transport.listen(response as unknown as ServerResponse);
  expect(transport.busy).toBe(true);
  response.destroyed = true;
  response.emit("close");
  return new WeakRef(response);
}

it("a session whose client is gone keeps nothing of the connection", async () => {
  const heartbeat = new Heartbeat(60_000);
  const transport = new HttpServerTransport(heartbeat, "session");
  const connection = listenOnce(transport);
  // A WeakRef holds its target until the task ends that created it.
  await new Promise((resolve) => setImmediate(resolve));
  createReadings().collect();
  expect(connection.deref()).toBeUndefined();
  expect(transport.busy).toBe(false);
  heartbeat.stop();
});
