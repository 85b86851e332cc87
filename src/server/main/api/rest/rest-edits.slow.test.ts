import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../../lib/contract/access";
import type { Method } from "../../../platform/api/route";
import { type Container, createContainer } from "../../container";
import { readEnv } from "../../env";
import { createRestClient } from "./rest.test-support";

const parameters = { type: "object", properties: { text: { type: "string" } } };
const definition = {
  name: "shout",
  description: "Shouts",
  type: "function",
  handler: "echo",
  parameters,
  implementation: { type: "builtin", handler: "echo" },
};
const settings = { name: "files", transport: "http", url: "http://127.0.0.1:9/mcp" };
const bea = { ...LOCAL_PRINCIPAL, id: "bea", name: "Bea" };

let container: Container;
beforeAll(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-rest-edits-"));
  const environment = { DATABASE_URL: `file:${folder}/rest.db`, TOOLROOM_LOG_LEVEL: "silent", TOOLROOM_CONFIG: "" };
  container = await createContainer(readEnv(environment));
});
afterAll(() => container.close());

async function ask(method: Method, address: string, body?: unknown, tag?: string | null, actor = LOCAL_PRINCIPAL) {
  const headers: Record<string, string> = typeof tag === "string" ? { "if-match": tag } : {};
  const response = await createRestClient(container)({ method, address, body, headers, actor });
  const text = await response.text();
  return { status: response.status, tag: response.headers.get("etag"), body: text === "" ? null : JSON.parse(text) };
}

const NOUNS = [
  ["/tools", "/tools/shout", { definition }, { definition: { ...definition, description: "Whispers" } }],
  ["/toolsets", "/toolsets/mail", { name: "mail", tools: ["shout"] }, { name: "mail", tools: [] }],
  ["/servers", "/servers/files", { settings, enabled: false }, { settings: { ...settings, title: "Files" } }],
] as const;

describe.each(NOUNS)("what is below %s", (list, address, first, second) => {
  it("is replaced and deleted only as it was read, if the request names what it read", async () => {
    const created = await ask("POST", list, first);
    expect([created.status, created.body.error]).toEqual([201, undefined]);
    const { tag } = await ask("GET", address);
    expect(tag).toMatch(/^"1-\w+"$/);
    expect(created.tag).toBe(tag);
    const edited = await ask("PUT", address, second, tag, bea);
    expect([edited.status, edited.body.error]).toEqual([200, undefined]);
    expect(edited.tag).toMatch(/^"2-\w+"$/);
    for (const method of ["PUT", "DELETE"] as const) {
      const late = await ask(method, address, method === "PUT" ? second : undefined, tag);
      expect(late).toMatchObject({ status: 412, body: { error: { code: "PRECONDITION_FAILED" } } });
      expect(late.body.error.message).toMatch(/^Bea changed it at .*\(revision 2\): get it again/);
    }
    expect((await ask("PUT", address, second, "2")).body.error).toMatchObject({ code: "INVALID" });
    expect((await ask("PUT", address, second, `"9-x", ${edited.tag}`)).status).toBe(200);
    expect((await ask("PUT", address, second)).status).toBe(200);
    expect((await ask("DELETE", address, undefined, "*")).status).toBe(204);
    // Created again, it counts from one: the tag of the first life is not the one of the second.
    await ask("POST", list, first);
    expect((await ask("DELETE", address, undefined, tag)).status).toBe(412);
    const { tag: now } = await ask("GET", address);
    expect((await ask("DELETE", address, undefined, now)).status).toBe(204);
  });
});

describe("PATCH", () => {
  it("switches a tool or server only as it was read, if the request names that", async () => {
    await ask("POST", "/tools", { definition });
    await ask("POST", "/servers", { settings, enabled: false });
    for (const address of ["/tools/shout", "/servers/files"]) {
      const { tag } = await ask("GET", address);
      expect((await ask("PATCH", address, { enabled: false }, '"7-x"')).status).toBe(412);
      expect((await ask("PATCH", address, { enabled: false }, tag)).status).toBe(200);
    }
  });
});

describe("executions", () => {
  const run = async (text: string): Promise<string> => {
    const request = { tool: "shout", argumentsText: JSON.stringify({ text }) };
    return (await container.services.executions.run(LOCAL_PRINCIPAL, request)).id;
  };

  it("are deleted by id, by ids and by filter, and pinned ones stay", async () => {
    await container.services.tools.setEnabled(LOCAL_PRINCIPAL, "shout", true);
    const one = await run("1");
    const two = await run("2");
    const three = await run("3");
    const pinned = await run("4");
    await container.services.executions.setPinned(LOCAL_PRINCIPAL, pinned, true);
    expect((await ask("DELETE", `/executions/${one}`)).status).toBe(204);
    expect((await ask("DELETE", `/executions/${one}`)).status).toBe(404);
    const refused = await ask("DELETE", `/executions/${pinned}`);
    expect(refused).toMatchObject({ status: 409, body: { error: { message: expect.stringContaining("unpin") } } });
    expect((await ask("POST", "/executions/delete", { ids: [two] })).body).toMatchObject({ deleted: 1, more: false });
    const filter = { tool: ["shout"], user: LOCAL_PRINCIPAL.id, since: "2020-01-01T00:00:00Z" };
    const preview = await ask("POST", "/executions/delete/preview", { filter });
    expect(preview.body).toEqual({ count: 1, more: false, keptPinned: 1 });
    expect((await ask("POST", "/executions/delete", { filter: { ...filter, user: "bea" } })).body.deleted).toBe(0);
    expect((await ask("GET", `/executions/${three}`)).status).toBe(200);
    expect((await ask("POST", "/executions/delete", { filter })).body).toMatchObject({ deleted: 1 });
    expect((await ask("GET", `/executions/${three}`)).status).toBe(404);
    expect((await ask("POST", "/executions/delete", { filter, includePinned: true })).body.deleted).toBe(1);
  });

  it("are not deleted by a request that chooses none, or misspells a filter", async () => {
    const id = await run("stays");
    for (const body of [{}, { filter: { tools: ["shout"] } }, { ids: [id], filter: {} }]) {
      expect(await ask("POST", "/executions/delete", body)).toMatchObject({ status: 400 });
    }
    expect((await ask("GET", `/executions/${id}`)).status).toBe(200);
  });
});
