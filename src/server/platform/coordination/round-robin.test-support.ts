import { createServer, type IncomingMessage, type ServerResponse, request as send } from "node:http";
import type { AddressInfo } from "node:net";

export interface RoundRobin {
  url: string;
  /** How many requests each address has got. */
  counts: Map<string, number>;
  close(): Promise<void>;
}

/** For tests: takes servers in turn, request by request; one that refuses the connection is skipped. Streams both ways. */
export async function startRoundRobin(addresses: readonly string[]): Promise<RoundRobin> {
  const counts = new Map<string, number>();
  let turn = 0;

  function pass(request: IncomingMessage, response: ServerResponse, body: Buffer, tries: number): void {
    const address = addresses[turn++ % addresses.length] ?? "";
    const { hostname, port } = new URL(address);
    const upstream = send({ hostname, port, method: request.method, path: request.url, headers: request.headers });
    let connected = false;
    upstream.once("socket", (socket) => socket.once("connect", () => (connected = true)));
    upstream.once("error", () => {
      if (!connected && tries > 1) pass(request, response, body, tries - 1);
      else response.destroy();
    });
    upstream.once("response", (answer) => {
      counts.set(address, (counts.get(address) ?? 0) + 1);
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
      answer.once("error", () => response.destroy());
      answer.once("aborted", () => response.destroy());
    });
    response.once("close", () => upstream.destroy());
    upstream.end(body);
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.once("end", () => pass(request, response, Buffer.concat(chunks), addresses.length));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
