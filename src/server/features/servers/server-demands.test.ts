import { expect, it } from "vitest";
import type { ServerDetail } from "../../../lib/contract/server";
import {
  demandForDocument,
  demandForImport,
  demandForServer,
  demandForSignIn,
  demandForUpdate,
  listReplacedSecrets,
} from "./server-demands";

const REMOTE = { transport: "http", url: "https://tools.example/mcp" };
const COMMAND = { transport: "stdio", command: "node" };
const withServer = (settings: object, credentials = "shared") => ({
  get: () => ({ settings, credentials, enabled: true }) as unknown as ServerDetail,
});

it("a server that starts a command takes an admin, also one that is about to, and one of several that are imported", () => {
  expect(demandForServer(withServer(REMOTE), "files")).toBe("edit");
  expect(demandForServer(withServer(COMMAND), "files")).toBe("administer");
  expect(demandForUpdate(withServer(REMOTE), "files", REMOTE)).toBe("edit");
  expect(demandForUpdate(withServer(REMOTE), "files", COMMAND)).toBe("administer");
  expect(demandForUpdate(withServer(COMMAND), "files", REMOTE)).toBe("administer");
  expect(demandForImport([{ settings: REMOTE }])).toBe("edit");
  expect(demandForImport([{ settings: REMOTE }, { settings: COMMAND }])).toBe("administer");
});

it("a document of a file, or of a server that takes an admin, is read by admins, whatever transport its settings name", () => {
  const servers = withServer(COMMAND);
  expect(demandForDocument(servers, { ...REMOTE, document: { from: "url" } }, undefined)).toBe("edit");
  expect(demandForDocument(servers, { ...COMMAND, document: { from: "url" } }, undefined)).toBe("edit");
  expect(demandForDocument(servers, { ...REMOTE, document: { from: "file" } }, undefined)).toBe("administer");
  expect(demandForDocument(servers, { ...REMOTE, document: { from: "url" } }, "files")).toBe("administer");
});

it("users who may run calls sign in with an account of their own, and editors for everyone", () => {
  expect(demandForSignIn(withServer(REMOTE, "personal"), "mail")).toBe("run");
  expect(demandForSignIn(withServer(REMOTE), "mail")).toBe("edit");
});

it("replaced secrets are named without their values", () => {
  const headers = [
    { name: "X-Key", value: "secret" },
    { name: "X-Kept", value: null },
    { name: "X-Read", value: `$${"{KEY}"}` },
  ];
  expect(listReplacedSecrets({ ...REMOTE, headers })).toEqual({ valuesReplaced: ["X-Key"] });
  expect(listReplacedSecrets(null)).toEqual({});
});
