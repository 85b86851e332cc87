import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ServerSettings, serverSettingsSchema } from "../../../lib/contract/server";
import { permissionForServer } from "../../../lib/contract/server-kind";
import { systemClock } from "../../create-tool-engine";
import { compareTools } from "../../engine/registry/tool-changes";
import { apiSettings, buildDocument, connectApi } from "../../openapi/openapi.test-support";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { toMcpEntry, toPortableServer } from "../sharing/portable-server";
import { createServerStore } from "./db/server-store";
import { readConfigEntry } from "./import/read-entry";
import { describeDocument } from "./openapi-outline";
import { PLAIN_READERS, testSecretBox } from "./server.test-support";
import type { KnownServer } from "./server-directory";
import { joinSecrets, keepableSecrets, separateSecrets } from "./server-secrets";
import { readSettings, toConnectionSettings } from "./server-settings";

const base = { name: "pets", transport: "openapi", url: "https://api.example.com/v1" };
const VARIABLE = `$${"{TOKEN}"}`;
const pasted = { from: "text", text: "openapi: 3.1.0" };
const auth = {
  type: "client_credentials",
  clientId: "me",
  clientSecret: "s",
  tokenUrl: "https://id.example.com/token",
};

const getSettings = (given: object = {}): ServerSettings =>
  serverSettingsSchema.parse({ ...base, document: pasted, ...given });
const findProblems = (given: object) =>
  readSettings({ ...base, document: pasted, ...given }, PLAIN_READERS.getMask).problems.map(({ path }) => path);

describe("settings of an OpenAPI server", () => {
  it("name the field of each problem", () => {
    expect(findProblems({})).toEqual([]);
    expect(findProblems({ document: undefined })).toEqual(["document"]);
    expect(findProblems({ document: { from: "url", url: "ftp://x" } })).toEqual(["document.url"]);
    expect(
      findProblems({
        query: [
          { name: "a", value: "1" },
          { name: "a", value: "2" },
        ],
      }),
    ).toEqual(["query[1].name"]);
    expect(findProblems({ auth: { type: "oauth" } })).toEqual(["auth.type"]);
    expect(findProblems({ auth: { ...auth, tokenUrl: "" } })).toEqual(["auth.tokenUrl"]);
    expect(findProblems({ operations: { paths: ["pets"] } })).toEqual(["operations.paths[0]"]);
  });

  it("keep credentials for the origins they were given for, and the document in any case", () => {
    const submitted = getSettings({
      auth,
      headers: [{ name: "X-Key", value: "k" }],
      query: [{ name: "q", value: "v" }],
    });
    const { settings, secrets } = separateSecrets(submitted, {});
    expect(JSON.stringify(settings)).not.toContain("openapi: 3.1.0");
    expect(secrets).toEqual({
      headers: { "X-Key": "k" },
      query: { q: "v" },
      clientSecret: "s",
      document: "openapi: 3.1.0",
    });
    expect(joinSecrets(settings, secrets)).toEqual(submitted);
    const before = { settings, secrets };
    const kept = { document: "openapi: 3.1.0" };
    expect(keepableSecrets(before, { ...settings, url: "https://api.example.com/v2" })).toBe(secrets);
    expect(keepableSecrets(before, { ...settings, url: "https://evil.example" })).toEqual(kept);
    expect(keepableSecrets(before, { ...settings, auth: { ...auth, tokenUrl: "https://evil.example" } })).toEqual(kept);
  });

  it("need an admin for files of the machine and for variables, not for a document that contains a dollar sign", () => {
    expect(permissionForServer(getSettings({ document: { from: "text", text: '{"$ref": "#"}' } }))).toBe("edit");
    expect(permissionForServer(getSettings({ document: { from: "file", path: "a.yaml" } }))).toBe("administer");
    // It names where users' tokens are sent to.
    expect(permissionForServer({ transport: "openapi", auth: { type: "token_exchange" } })).toBe("administer");
    expect(permissionForServer({ transport: "http", auth: { type: "workload_identity" } })).toBe("administer");
    expect(permissionForServer(getSettings({ document: { from: "url", url: `https://x/${VARIABLE}` } }))).toBe(
      "administer",
    );
    expect(permissionForServer(getSettings({ headers: [{ name: "X", value: VARIABLE }] }))).toBe("administer");
  });

  it("are exported with the document, without secrets, and read from such an entry again", () => {
    const chosen = { operations: { tags: ["pets"] }, outputSchemas: false };
    const submitted = getSettings({ query: [{ name: "key", value: "secret" }], ...chosen });
    const { settings } = separateSecrets(submitted, {});
    const detail = { name: "pets", enabled: true, settings } as Parameters<typeof toPortableServer>[0];
    const portable = toPortableServer(detail, [], "openapi: 3.1.0");
    expect(portable.settings).toMatchObject({
      document: pasted,
      outputSchemas: false,
      query: [{ name: "key", value: null }],
    });
    const entry = toMcpEntry(portable);
    expect(entry).toMatchObject({ type: "openapi", document: pasted, query: { key: `$${"{PETS_KEY}"}` } });
    expect(readConfigEntry("pets", entry)).toMatchObject({
      problems: [],
      settings: {
        transport: "openapi",
        document: pasted,
        operations: { tags: ["pets"], paths: [] },
        outputSchemas: false,
      },
    });
    const short = { type: "openapi", url: base.url, document: "./pets.yaml" };
    expect(readConfigEntry("pets", short).settings).toMatchObject({ document: { from: "file", path: "./pets.yaml" } });
  });

  it("are tried before they are stored: the document is described with what is there already", async () => {
    const seen: unknown[] = [];
    const outline = { title: "Pets" } as never;
    const documents = {
      getMask: PLAIN_READERS.getMask,
      documents: {
        outline: async (settings: unknown) => {
          seen.push(settings);
          return outline;
        },
      },
    };
    const { settings, secrets } = separateSecrets(getSettings(), {});
    const before = { settings, secrets } as KnownServer;
    await expect(describeDocument({ transport: "openapi", document: pasted }, undefined, documents)).resolves.toBe(
      outline,
    );
    const kept = { ...settings, document: { from: "text", text: null } };
    await describeDocument(kept, before, documents);
    expect(seen[1]).toMatchObject({ document: pasted, url: base.url });
    await expect(describeDocument(kept, undefined, documents)).rejects.toThrow("document.text");
    await expect(describeDocument({ document: { from: "url", url: "" } }, undefined, documents)).rejects.toThrow(
      "document.url",
    );
  });
});

describe("an OpenAPI server", () => {
  let scratch: ScratchDatabase;
  beforeEach(async () => {
    scratch = await createScratchDatabase();
  });
  afterEach(() => scratch.remove());

  it("is stored with its document encrypted beside its secrets", async () => {
    const store = createServerStore({ db: scratch.db, secretBox: testSecretBox(), clock: systemClock });
    const { settings, secrets } = separateSecrets(getSettings({ query: [{ name: "key", value: "secret" }] }), {});
    await store.create({ settings, secrets });
    const [row] = await store.list();
    expect(toConnectionSettings(row?.settings ?? settings, row?.secrets ?? {}, true)).toMatchObject({
      transport: "openapi",
      document: pasted,
      query: { key: "secret" },
      operations: { tags: [], paths: [] },
    });
  });

  it("whose document is read again reports the same changes as an MCP server", async () => {
    const operation = (parameters: unknown[], more = {}) => ({ get: { operationId: "list", parameters, ...more } });
    const query = (name: string, required = false) => ({ name, in: "query", required, schema: { type: "string" } });
    const list = async (paths: object) =>
      (await connectApi(apiSettings(buildDocument(paths as never), base.url))).tools;
    const before = await list({ "/pets": operation([query("q")]), "/old": { delete: {} } });
    const after = await list({ "/pets": operation([query("q"), query("owner", true)]), "/new": { get: {} } });
    expect([...compareTools(before, after)].map((change) => `${change?.kind} ${change?.tool}`)).toEqual([
      "removed delete_old",
      "added get_new",
      "breaking list",
    ]);
    const moved = await list({ "/admin/pets": operation([query("q")]) });
    expect([...compareTools(before.slice(0, 1), moved)]).toMatchObject([
      { kind: "breaking", details: expect.arrayContaining(["the request changed from GET /pets to GET /admin/pets"]) },
    ]);
    const onServer = operation([query("q")], { servers: [{ url: "https://api.example.com/admin" }] });
    expect([...compareTools(before.slice(0, 1), await list({ "/pets": onServer }))]).toMatchObject([
      { kind: "breaking", details: ["the request changed from GET /pets to GET /admin/pets"] },
    ]);
  });
});
