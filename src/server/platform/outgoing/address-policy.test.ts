import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { openBench, remote } from "../../mcp/client/connections.test-support";
import { createNodeFetch } from "../../mcp/client/transport/node-fetch";
import { ollama } from "../../models/ollama/ollama";
import { VendorClient } from "../../models/vendor-client";
import { createAddressPolicy } from "./address-policy";
import { createOutgoingAgents } from "./outgoing-agents";
import { createOutgoingFetch } from "./outgoing-fetch";

const open = createAddressPolicy({ privateAddresses: null, local: true });
const shared = createAddressPolicy({ privateAddresses: null, local: false });
const verdict = (policy: typeof open, address: string, hostname = address) =>
  policy
    .findRefusal(address, hostname)
    ?.message.replace(/^'[^']*' is an? /, "")
    .slice(0, 10) ?? "allowed";

async function serve(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const createFetch = (privateAddresses: string | null, local = false) =>
  createOutgoingFetch(createOutgoingAgents(createAddressPolicy({ privateAddresses, local })));

describe("the policy for outgoing addresses", () => {
  it.each([
    "169.254.169.254",
    "169.254.0.1",
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::1",
    "fe80::1",
    "fe80::1%eth0",
    "fd00:ec2::254",
    "100.100.100.200",
    "168.63.129.16",
  ])("refuses the metadata address %s under every setting", (address) => {
    expect(verdict(open, address)).toBe("address of");
    for (const privateAddresses of ["allow", "deny", address.split("%")[0] ?? "", "0.0.0.0/0,::/0"]) {
      expect(verdict(createAddressPolicy({ privateAddresses, local: false }), address)).toBe("address of");
    }
  });

  it("refuses the names of metadata services whatever they resolve to", () => {
    expect(verdict(open, "93.184.215.14", "Metadata.Google.Internal.")).toBe("address of");
  });

  it.each(["127.0.0.1", "0.0.0.0", "10.1.2.3", "172.31.0.1", "192.168.1.1", "100.64.0.1", "::1", "::", "fd12::1"])(
    "allows the private address %s to a server on loopback, and refuses it elsewhere",
    (address) => {
      expect([verdict(open, address), verdict(shared, address)]).toEqual(["allowed", "private ad"]);
    },
  );

  it.each(["::ffff:127.0.0.1", "::ffff:7f00:1", "64:ff9b::7f00:1", "2002:7f00:1::", "::127.0.0.1"])(
    "sees the private address in %s",
    (address) => expect(verdict(shared, address)).toBe("private ad"),
  );

  it("allows public addresses everywhere", () => {
    for (const address of ["93.184.215.14", "172.32.0.1", "2606:2800:21f::1", "::ffff:8.8.8.8"]) {
      expect([verdict(open, address), verdict(shared, address)]).toEqual(["allowed", "allowed"]);
    }
  });

  it("follows TOOLROOM_PRIVATE_ADDRESSES: a word, or hosts and ranges; a damaged entry is named", () => {
    const listed = createAddressPolicy({ privateAddresses: "10.2.0.0/16, Ollama.internal,::1", local: false });
    expect(verdict(listed, "10.2.9.9")).toBe("allowed");
    expect(verdict(listed, "10.3.0.1")).toBe("private ad");
    expect(verdict(listed, "10.3.0.1", "ollama.internal.")).toBe("allowed");
    expect(verdict(listed, "::1")).toBe("allowed");
    expect(verdict(createAddressPolicy({ privateAddresses: "deny", local: true }), "127.0.0.1")).toBe("private ad");
    for (const entry of ["10.0.0.0/33", "10.0.0.0/x", "http://host", "*"]) {
      expect(() => createAddressPolicy({ privateAddresses: entry, local: false })).toThrow(`'${entry}'`);
    }
  });
});

describe("outgoing connections", () => {
  it.each(["127.0.0.1", "localhost", "2130706433", "0x7f.1", "017700000001", "[::ffff:127.0.0.1]"])(
    "to http://%s are refused before anything is sent",
    async (host) => {
      let requests = 0;
      const port = await serve((_request, response) => {
        requests += 1;
        response.end();
      });
      await expect(createFetch(null)(`http://${host}:${port}/`)).rejects.toThrow("TOOLROOM_PRIVATE_ADDRESSES");
      expect(requests).toBe(0);
    },
  );

  it("are opened to a listed name, reused, and checked again for another name of the same address", async () => {
    const sockets = new Set();
    const port = await serve((request, response) => {
      sockets.add(request.socket);
      response.end("ok");
    });
    const fetch = createFetch("localhost");
    for (let call = 0; call < 3; call += 1) expect(await (await fetch(`http://localhost:${port}/`)).text()).toBe("ok");
    expect(sockets.size).toBe(1);
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow("'127.0.0.1' is a private address");
  });

  it("of an MCP server are refused with the way out, under the address that its settings resolve to", async () => {
    let requests = 0;
    const port = await serve((_request, response) => {
      requests += 1;
      response.end();
    });
    const { connections } = openBench({ addresses: shared, variables: { WHERE: `127.0.0.1:${port}` } });
    connections.apply(remote("svc", "http://$" + "{WHERE}/mcp"));
    expect(await connections.ready("svc")).toMatchObject({
      status: "failed",
      reason: expect.stringMatching(/'127\.0\.0\.1' is a private address.*TOOLROOM_PRIVATE_ADDRESSES/),
    });
    expect(requests).toBe(0);
  });

  it("of a server's OAuth metadata are checked at every redirect", async () => {
    const port = await serve((_request, response) => {
      response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end();
    });
    const { fetch, close } = createNodeFetch({
      addresses: open,
      origin: "",
      headers: {},
      maxBytes: 1000,
      onCredentials: () => undefined,
    });
    onTestFinished(close);
    const answer = fetch(`http://localhost:${port}/.well-known/oauth-protected-resource`);
    await expect(answer).rejects.toThrow("to which Toolroom never connects");
  });

  it("of a model provider are refused without a retry", async () => {
    const retry = { sleep: () => Promise.reject(new Error("was tried again")) };
    const client = new VendorClient(ollama, {
      apiKey: null,
      baseUrl: "http://127.0.0.1:9",
      fetch: createFetch(null),
      retry,
    });
    await expect(client.listModels()).rejects.toThrow("TOOLROOM_PRIVATE_ADDRESSES");
  });
});
