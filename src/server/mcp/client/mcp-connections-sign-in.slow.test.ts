import { expect, it, onTestFinished } from "vitest";
import { startOAuthServer } from "../../../../e2e/support/mcp-servers/oauth-server.mjs";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { buildContext, openBench, readText, remote } from "./connections.test-support";

const CALLBACK = "http://127.0.0.1:3999/oauth/callback";

/** Signs in at the authorization server as a browser does: follows the redirect back to us, with the answer in the address. */
async function getAnswer(address: string): Promise<URLSearchParams> {
  const response = await fetch(address, { redirect: "manual" });
  return new URL(response.headers.get("location") ?? "").searchParams;
}

it("leads a user through the sign-in and back, and keeps the tokens out of what it tells", async () => {
  const server = await startOAuthServer();
  onTestFinished(() => server.close());
  const { connections } = openBench();
  connections.apply(remote("files", server.url, { auth: { type: "oauth" } }));
  expect(await connections.ready("files")).toMatchObject({ status: "sign_in_needed", nextAttemptAt: null });
  await expect(connections.call("files", "whoami", {}, buildContext())).rejects.toThrow(
    /needs a sign-in: open its page/,
  );
  expect(connections.signedIn("files")).toBe(false);

  const address = await connections.startSignIn("files", CALLBACK);
  expect(address).toContain("code_challenge");
  expect(await connections.finishSignIn(await getAnswer(address ?? ""))).toEqual({ server: "files", returnTo: null });
  await waitUntil(() => connections.state("files")?.status === "connected");
  expect(connections.signedIn("files")).toBe(true);
  expect(readText(await connections.call("files", "whoami", {}, buildContext()))).toContain("client");
  expect(JSON.stringify([connections.messages("files"), connections.log("files")])).not.toMatch(/Bearer [^[]/);
  expect(await connections.startSignIn("files", CALLBACK)).toBeNull();

  await connections.signOut("files");
  expect(connections.signedIn("files")).toBe(false);
  expect(connections.state("files")?.status).toBe("sign_in_needed");
});

it("refuses a callback without a pending sign-in, and a sign-in where there is none", async () => {
  const { connections } = openBench();
  connections.apply(remote("plain", "http://127.0.0.1:9/mcp"));
  await expect(connections.finishSignIn(new URLSearchParams("code=x&state=y"))).rejects.toThrow(
    /This sign-in has expired or is already complete/,
  );
  await expect(connections.startSignIn("plain", CALLBACK)).rejects.toThrow(/has no sign-in: choose OAuth/);
});
