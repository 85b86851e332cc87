import { createServer } from "node:http";
import net, { type AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import { refuseUpgrade } from "./upgrade-handler.mjs";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function upgrade(): Promise<{ client: net.Socket; socket: Duplex }> {
  const server = createServer();
  const upgraded = new Promise<Duplex>((resolve) => {
    server.on("upgrade", (request, socket) => {
      refuseUpgrade(request, socket);
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

describe("a refused upgrade", () => {
  it("ERR-02 outlives a client that resets its connection", async () => {
    const { client, socket } = await upgrade();
    expect(() => socket.emit("error", new Error("read ECONNRESET"))).not.toThrow();
    expect(socket.destroyed).toBe(true);
    client.destroy();
  });

  it("ERR-02 leaves no open socket", async () => {
    const { client } = await upgrade();
    let said = "";
    client.on("data", (data) => {
      said += String(data);
    });
    await new Promise((resolve) => client.once("close", resolve));
    expect(said).toMatch(/^HTTP\/1\.1 404 /);
  });
});
