import { expect, it, onTestFinished } from "vitest";
import { startOAuthServer } from "../../../../e2e/support/mcp-servers/oauth-server.mjs";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { systemClock } from "../../create-tool-engine";
import { recordingLogger } from "../../engine/recording-logger.test-support";
import { buildContext, openBench, readText } from "../../mcp/client/connections.test-support";
import { createScratchDatabase } from "../../platform/db/database.test-support";
import { createServerStore } from "./db/server-store";
import { PLAIN_READERS, testSecretBox } from "./server.test-support";
import { createServerService } from "./server-service";

const ORIGIN = "http://127.0.0.1:3999";

it.each(["tools/list", "tools/call"])(
  "starts and finishes the sign-in of a server that demands it only at %s, and returns to the call",
  async (method) => {
    const oauth = await startOAuthServer({ protectedMethods: [method] });
    onTestFinished(() => oauth.close());
    const scratch = await createScratchDatabase();
    onTestFinished(() => scratch.remove());
    const store = createServerStore({ db: scratch.db, secretBox: testSecretBox(), clock: systemClock });
    const { connections } = openBench({ credentials: store.credentials });
    const service = createServerService({
      ...PLAIN_READERS,
      connections,
      store,
      schemaNotes: () => null,
      setServerTools: async () => [],
      getApproval: () => null,
      isSwitchedOff: () => false,
      renameServerTools: async () => undefined,
      forgetServerTools: async () => undefined,
      configured: { entries: {}, path: "config/toolroom.json" },
      isOwnOrigin: (origin) => new URL(origin).origin === ORIGIN,
      variables: {},
      maxStoredBytes: 4096,
      rootDir: "/srv/toolroom",
      clock: systemClock,
      logger: recordingLogger(),
      publish: () => undefined,
    });
    await service.create(LOCAL_OWNER, { name: "files", transport: "http", url: oauth.url, auth: { type: "oauth" } });
    await connections.ready("files");
    const call = () => connections.call("files", "whoami", {}, buildContext());
    await expect(call()).rejects.toMatchObject({ kind: "sign_in_needed" });
    expect(service.get("files").state.status).toBe("sign_in_needed");

    // A user who sends such an address to a colleague would receive that colleague's code.
    await expect(service.startSignIn(LOCAL_OWNER, "files", "https://evil.example", null)).rejects.toMatchObject({
      code: "INVALID",
      message: expect.stringContaining("origin: must be an address of this console"),
    });
    const { url } = await service.startSignIn(LOCAL_OWNER, "files", `${ORIGIN}/servers/files`, "/executions/exec_1");
    const address = new URL(url ?? "");
    expect([address.origin, address.searchParams.get("redirect_uri")]).toEqual([
      oauth.issuer,
      `${ORIGIN}/oauth/callback`,
    ]);
    const consent = await fetch(address, { redirect: "manual" });
    const { searchParams } = new URL(consent.headers.get("location") ?? "");
    expect(await service.finishSignIn(LOCAL_OWNER, searchParams)).toEqual({
      server: "files",
      path: "/executions/exec_1",
    });

    await waitUntil(() => service.get("files").state.status === "connected");
    expect(service.get("files").signedIn).toBe(true);
    expect(readText(await call())).toContain("client");
  },
);
