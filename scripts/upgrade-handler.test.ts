import { createServer } from "node:http";
import net, { type AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import { createUpgradeHandler } from "./upgrade-handler.mjs";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function upgrade(take: (socket: Duplex) => boolean): Promise<{ client: net.Socket; socket: Duplex }> {
  const server = createServer();
  const handle = createUpgradeHandler((_request, socket) => take(socket));
  const upgraded = new Promise<Duplex>((resolve) => {
    server.on("upgrade", (request, socket, head) => {
      handle(request, socket, head);
      resolve(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = net.connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => undefined);
  ends.push(() => {
    client.destroy();
    server.close();
  });
  client.write("GET /x HTTP/1.1\r\nhost: a\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n");
  return { client, socket: await upgraded };
}

describe("the handler of upgrades", () => {
  it.each([true, false])("AGT-13 outlives a client that resets its connection (taken: %s)", async (taken) => {
    const { client, socket } = await upgrade(() => taken);
    expect(() => socket.emit("error", new Error("read ECONNRESET"))).not.toThrow();
    expect(socket.destroyed).toBe(true);
    client.destroy();
  });

  it("AGT-13 destroys a socket whose client resets it", async () => {
    const { client, socket } = await upgrade(() => true);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    client.resetAndDestroy();
    await closed;
    expect(socket.destroyed).toBe(true);
  });

  it("AGT-13 answers 404 at an address without a WebSocket", async () => {
    const { client } = await upgrade(() => false);
    let said = "";
    client.on("data", (data) => {
      said += String(data);
    });
    await new Promise((resolve) => client.once("close", resolve));
    expect(said).toMatch(/^HTTP\/1\.1 404 /);
  });
});
