import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startOAuthServer } from "../../../../../e2e/support/mcp-servers/oauth-server.mjs";
import type { ServerAuth } from "../../../../lib/contract/server";
import { buildContext, openBench, readText, remote } from "../connections.test-support";

type WorkloadAuth = Extract<ServerAuth, { type: "workload_identity" }>;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const jwt = (name: string, exp = Date.now() / 1_000 + 600, aud?: unknown): string =>
  `${encode({ alg: "RS256" })}.${encode({ sub: name, exp, aud })}.c2lnbmF0dXJl`;

function writeToken(text: string) {
  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-workload-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "token");
  writeFileSync(file, text);
  return file;
}

/** Accepts the name of the server's authorization server, unless the settings name another one. */
async function start(auth: Omit<WorkloadAuth, "type">, trusted: readonly string[], variables = {}, tokenStatus = 200) {
  const seen: string[] = [];
  const server = await startOAuthServer({
    tokenStatus,
    checkWorkload: (assertion) => {
      seen.push(assertion);
      return trusted.includes(assertion);
    },
  });
  onTestFinished(() => server.close());
  const bench = openBench({ variables });
  const acceptedIssuer = server.authorization.issuer;
  bench.connections.apply(
    remote("files", server.url, { auth: { type: "workload_identity", acceptedIssuer, ...auth } }),
  );
  const state = await bench.connections.ready("files");
  const told = () => JSON.stringify([bench.connections.log("files"), bench.connections.messages("files"), state]);
  return { ...bench, server, state, seen, told };
}

describe("signing in with a workload identity", () => {
  it("sends the JWT of the file as the grant, without a client, and reads the file again for the next token", async () => {
    const first = jwt("first");
    const second = jwt("second");
    const tokenFile = writeToken(`${first}\n`);
    const { connections, server, state, seen, told } = await start({ tokenFrom: "file", tokenFile }, [first, second]);
    expect(state).toMatchObject({ status: "connected" });
    expect(readText(await connections.call("files", "whoami", {}, buildContext()))).toContain('"client":"workload"');
    writeFileSync(tokenFile, second);
    server.authorization.expireAccess();
    await connections.call("files", "whoami", {}, buildContext());
    expect(seen).toEqual([first, second]);
    expect(told()).not.toContain(first);
  });

  it("takes the JWT from an environment variable, and sends a client id where one is set", async () => {
    const token = jwt("pod");
    const auth = { tokenFrom: "variable", tokenVariable: "POD_TOKEN", clientId: "toolroom" } as const;
    const { connections, state } = await start(auth, [token], { POD_TOKEN: token });
    expect(state).toMatchObject({ status: "connected" });
    expect(readText(await connections.call("files", "whoami", {}, buildContext()))).toContain('"client":"toolroom"');
  });

  it("reports a refusal without the token that the authorization server quotes, and tries nothing else", async () => {
    const token = jwt("stranger");
    const printed = vi.spyOn(console, "warn");
    onTestFinished(() => printed.mockRestore());
    const { server, state, seen, told } = await start({ tokenFrom: "file", tokenFile: writeToken(token) }, []);
    expect(state).toMatchObject({ status: "failed", nextAttemptAt: null });
    expect(state.reason).toMatch(/refused the token of our workload identity \(invalid_grant/);
    expect(seen).toEqual([token]);
    const grants = server.authorization.log.filter(({ path: at }) => at === "/token").map(({ grant }) => grant);
    expect(grants).toEqual(["urn:ietf:params:oauth:grant-type:jwt-bearer"]);
    expect(told()).not.toContain(token);
    expect(printed.mock.calls.flat().join()).not.toContain(token);
  });

  it("tries again later where the authorization server is out of order", async () => {
    const token = jwt("pod");
    const tokenFile = writeToken(token);
    const { connections, server, state, told } = await start({ tokenFrom: "file", tokenFile }, [token], {}, 503);
    expect(state).toMatchObject({ status: "disconnected", nextAttemptAt: expect.any(Number) });
    expect(told()).not.toContain(token);
    server.behaviour.tokenStatus = 200;
    expect(await connections.reconnect("files")).toMatchObject({ status: "connected" });
  });

  it("sends the JWT only to an authorization server that it is for, or whose name was accepted", async () => {
    const foreign = jwt("pod", undefined, ["https://login.example.com", "api://exchange"]);
    const stranger = { tokenFrom: "file", acceptedIssuer: "https://login.example.com" } as const;
    for (const [token, said] of [
      [foreign, /is for https:\/\/login\.example\.com, api:\/\/exchange and was not sent to .*127\.0\.0\.1/],
      [jwt("pod"), /names no audience and was not sent/],
      [jwt("pod", undefined, { host: "127.0.0.1" }), /names no audience and was not sent/],
    ] as const) {
      const { state, seen, told } = await start({ ...stranger, tokenFile: writeToken(token) }, [token]);
      expect(state).toMatchObject({ status: "failed", reason: expect.stringMatching(said) });
      expect(seen).toEqual([]);
      expect(told()).not.toContain(token);
    }
    const tokenFile = writeToken(foreign);
    const { connections, server, state, seen } = await start({ ...stranger, tokenFile }, []);
    expect(state.status).toBe("failed");
    server.behaviour.checkWorkload = (assertion: string) => seen.push(assertion) > 0;
    for (const aud of [server.authorization.issuer, [`${server.authorization.issuer}/token`, "other"]]) {
      const token = jwt("pod", undefined, aud);
      writeFileSync(tokenFile, token);
      server.authorization.expireAccess();
      expect(await connections.reconnect("files")).toMatchObject({ status: "connected" });
      expect(seen.at(-1)).toBe(token);
    }
  });

  it.each([
    [
      "a file that is not there",
      () => path.join(tmpdir(), "no-such-token"),
      "disconnected",
      /cannot be read \(ENOENT\)/,
    ],
    ["a folder", () => tmpdir(), "disconnected", /cannot be read/],
    ["an empty file", () => writeToken("\n"), "disconnected", /has no token/],
    ["an expired token", () => writeToken(jwt("late", 1_000)), "disconnected", /expired at 1970-01-01T00:16:40/],
    ["a token of a time before all others", () => writeToken(jwt("old", -1e300)), "disconnected", /expired at 1970/],
    ["another file", () => writeToken("root:x:0:0:secret"), "failed", /holds no signed JWT/],
    ["a file that is too large", () => writeToken(jwt("x".repeat(20_000))), "failed", /holds no signed JWT/],
  ] as const)("sends nothing of %s and says what is wrong with it", async (_, write, status, reason) => {
    const { state, seen, told } = await start({ tokenFrom: "file", tokenFile: write() }, []);
    expect(state).toMatchObject({ status, reason: expect.stringMatching(reason) });
    expect(seen).toEqual([]);
    expect(told()).not.toContain("secret");
  });
});
