import { createServer, type IncomingMessage, type ServerResponse, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { startFakeOpenAIChat } from "../../src/server/models/fake-vendors/openai-chat.test-support";
import type { FakeVendor } from "../../src/server/models/fake-vendors/vendor-server.test-support";

/** An OpenAI-compatible server on loopback that answers a question only once it may. */
export interface HeldVendor extends Pick<FakeVendor, "url" | "script" | "requests" | "close"> {
  /** From now on every question waits. */
  hold(): void;
  /** Lets that many of them be answered, those that wait first; all, and no more waiting, without a number. */
  release(count?: number): void;
}

export async function startHeldVendor(): Promise<HeldVendor> {
  const vendor = await startFakeOpenAIChat();
  const target = new URL(vendor.url);
  const waiting: (() => void)[] = [];
  let allowed = Number.POSITIVE_INFINITY;

  const pass = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { method, url: path, headers } = incoming;
    const onward = send(new URL(path ?? "/", target), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  };
  const server = createServer((incoming, outgoing) => {
    if (incoming.method !== "POST" || allowed > 0) {
      if (incoming.method === "POST") allowed -= 1;
      pass(incoming, outgoing);
    } else {
      waiting.push(() => pass(incoming, outgoing));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${target.pathname}`,
    script: vendor.script,
    requests: vendor.requests,
    hold() {
      allowed = 0;
    },
    release(count = Number.POSITIVE_INFINITY) {
      const now = waiting.splice(0, count);
      allowed = count - now.length;
      for (const go of now) go();
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await vendor.close();
    },
  };
}
