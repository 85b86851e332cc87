import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createWebhook } from "./webhook";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handle);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const never = new AbortController().signal;

describe("a webhook", () => {
  it("AGT-13 is posted JSON", async () => {
    const received: { method?: string | undefined; type?: string | undefined; body: string }[] = [];
    const url = await serve((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        received.push({ method: request.method, type: request.headers["content-type"], body });
        response.writeHead(204).end();
      });
    });
    expect(await createWebhook().post(`${url}/hook?token=s3cret`, { answer: "Grün" }, never)).toEqual({ ok: true });
    expect(received).toEqual([{ method: "POST", type: "application/json", body: '{"answer":"Grün"}' }]);
  });

  it("AGT-13 that redirects is not followed", async () => {
    let reached = 0;
    const target = await serve((_request, response) => {
      reached += 1;
      response.end();
    });
    const url = await serve((_request, response) => void response.writeHead(307, { location: target }).end());
    expect(await createWebhook().post(url, {}, never)).toMatchObject({
      ok: false,
      retry: false,
      reason: expect.stringContaining("307"),
    });
    expect(reached).toBe(0);
  });

  it.each([
    [503, true],
    [429, true],
    [404, false],
  ])("AGT-13 that answers %i is tried again: %s", async (status, retry) => {
    const url = await serve((_request, response) => void response.writeHead(status).end("no"));
    const outcome = await createWebhook().post(url, {}, never);
    expect(outcome).toEqual({ ok: false, reason: `It answered with status ${status}`, retry });
  });

  it("AGT-13 that does not answer, or is not there, is a failure whose reason leaves the address out", async () => {
    const silent = await serve(() => undefined);
    const late = await createWebhook({ timeoutMs: 50 }).post(`${silent}/?token=s3cret`, {}, never);
    expect(late).toEqual({ ok: false, reason: "No answer within 0.05 s", retry: true });
    const gone = await createWebhook().post("http://127.0.0.1:1/?token=s3cret", {}, never);
    expect(gone).toMatchObject({ ok: false, retry: true });
    expect(JSON.stringify(gone)).not.toContain("s3cret");
    expect(await createWebhook().post("file:///etc/passwd", {}, never)).toMatchObject({ ok: false, retry: false });
  });
});
