import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL, type Principal } from "../../../lib/contract/access";
import { type RegistryEntry, registrySettingsSchema } from "../../../lib/contract/registry";
import { serverSettingsSchema } from "../../../lib/contract/server";
import { toMask } from "../../../lib/masked-value";
import { answerRegistry } from "./answer-registry";
import { describePublished } from "./published-server";
import { createRegistryService } from "./registry-service";

const schemas = JSON.parse(readFileSync(`${import.meta.dirname}/fixtures/registry-api.schema.json`, "utf8"));
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema(schemas, "api");
const isList = ajv.compile({ $ref: "api#/$defs/ServerList" });
const isServer = ajv.compile({ $ref: "api#/$defs/ServerResponse" });

const OWN = "https://tools.example.com";
const asked = (what: string) => ({ description: `Value of the ${what}`, isRequired: true, isSecret: true });
const ENTRY = (name: string) => `com.example.tools/${name}`;
const state = { peer: null, instructions: "Reads\nand writes files ".repeat(20) };
const toServer = (name: string, settings: object, enabled = true) => ({
  name,
  title: null,
  enabled,
  state,
  lastEdit: { revision: 1, by: null, at: 1_000 },
  settings: serverSettingsSchema.parse({ name, ...settings }),
});

function open({
  access = "members",
  needsToken = false,
}: {
  access?: "off" | "members" | "public";
  needsToken?: boolean;
} = {}) {
  const published = [
    { server: "files", publishedAs: "io.github.acme/files" },
    { server: "local" },
    { server: "remote" },
  ];
  let text: string | null = JSON.stringify({
    revision: 1,
    savedAt: 2_000,
    settings: registrySettingsSchema.parse({ access, servers: true, published }),
  });
  const toolsets = ["alpha", "support"].map((name) => ({ name, title: "", description: "", updatedAt: 86_400_000 }));
  const servers = [
    toServer("files", {
      transport: "stdio",
      command: "npx",
      args: ["-y", "@acme/files@1.2.3", "/data", toMask("0123456789ab")],
      env: [{ name: "KEY", value: null }],
    }),
    toServer("local", { transport: "stdio", command: "node", args: ["server.mjs"] }),
    toServer("remote", {
      transport: "http",
      url: "https://mcp.acme.test/mcp",
      headers: [{ name: "X-Key", value: null }],
    }),
    toServer("off", { transport: "http", url: "https://off.acme.test/mcp" }, false),
  ];
  const registry = createRegistryService({
    settings: {
      read: async () => text,
      replace: async (_key, before, value) => {
        if (text !== before) return false;
        text = value;
        return true;
      },
    },
    toolsets: () => toolsets as never,
    servers: () => servers as never,
    skills: async ({ server, toolset }) =>
      server === undefined && toolset !== "alpha" ? [{ ...SKILL, uri: `skill://${toolset ?? "all"}/SKILL.md` }] : [],
    needsToken,
    publicUrl: OWN,
    startedAt: 0,
    now: () => 5_000,
  });
  const ask = async (path: string, reader: Principal | null = LOCAL_PRINCIPAL, init: RequestInit = {}) => {
    const request = new Request(`${OWN}${path}`, init);
    const response = await answerRegistry(request, { reader, refusal: null, registry });
    return {
      status: response.status,
      headers: response.headers,
      body: response.status === 204 ? null : await response.json(),
    };
  };
  const names = async (path = "/v0.1/servers", reader: Principal | null = LOCAL_PRINCIPAL): Promise<string[]> =>
    (await ask(path, reader)).body.servers.map(({ server }: RegistryEntry) => server.name);
  return { ask, names, registry, servers, toolsets };
}

const SKILL = { name: "steps", description: "How to do it", digest: `sha256:${"0".repeat(64)}` };

const limited = (limits: object): Principal => ({
  ...LOCAL_PRINCIPAL,
  token: { id: "t", scopes: ["read"], tools: null, servers: null, ...limits },
});

describe("the team's registry", () => {
  it("answers lists, versions and the latest version by the official schema, without a secret", async () => {
    const { ask, names } = open({ needsToken: true });
    const list = await ask("/v0.1/servers");
    expect(isList(list.body), JSON.stringify(isList.errors)).toBe(true);
    expect(await names()).toEqual([
      ENTRY("published.remote"),
      ...["server.files", "server.local", "server.remote", "toolroom", "toolset.alpha", "toolset.support"].map(ENTRY),
      "io.github.acme/files",
    ]);
    expect(JSON.stringify(list.body)).not.toContain("[masked");
    for (const { server } of list.body.servers as RegistryEntry[]) {
      const path = `/v0.1/servers/${encodeURIComponent(server.name)}/versions`;
      const versions = await ask(path);
      expect(isList(versions.body)).toBe(true);
      for (const version of ["latest", server.version]) {
        const one = await ask(`${path}/${version}`);
        expect(isServer(one.body)).toBe(true);
        expect(one.body.server).toEqual(server);
      }
    }
    expect(await ask("/v0.1/servers/none%2Fnone/versions/latest")).toMatchObject({ status: 404 });
    const files = list.body.servers.find(({ server }: RegistryEntry) => server.name === "io.github.acme/files").server;
    expect(files.packages).toEqual([
      {
        registryType: "npm",
        identifier: "@acme/files",
        version: "1.2.3",
        runtimeHint: "npx",
        transport: { type: "stdio" },
        packageArguments: [
          { type: "positional", value: "/data" },
          // VS Code asks for what has a description, and keeps what was entered by its name for all servers.
          { type: "positional", valueHint: "acme_files_argument_2", ...asked("argument 2") },
        ],
        environmentVariables: [{ name: "KEY", ...asked("environment variable KEY") }],
      },
    ]);
    const set = list.body.servers.find(({ server }: RegistryEntry) => server.name === ENTRY("toolset.support")).server;
    expect(set.remotes).toMatchObject([
      {
        type: "streamable-http",
        url: `${OWN}/mcp/sets/support`,
        headers: [{ name: "Authorization", value: "Bearer {toolroom_token}", variables: { toolroom_token: {} } }],
      },
    ]);
    const remote = list.body.servers.find(({ server }: RegistryEntry) => server.name === ENTRY("published.remote"));
    expect(remote.server.remotes[0].headers).toEqual([
      {
        name: "X-Key",
        ...asked("header X-Key"),
        value: "{mcp_acme_test_X_Key}",
        variables: { mcp_acme_test_X_Key: asked("header X-Key") },
      },
    ]);
  });

  it("has the skills that an entry's address serves in its _meta, for readers with an account", async () => {
    const { ask } = open();
    const skillsOf = (body: { servers: RegistryEntry[] }) =>
      body.servers.flatMap(({ server, _meta }) => {
        const skills = _meta["toolroom/skills"];
        return skills === undefined ? [] : [[server.name, skills.map(({ uri }) => uri)]];
      });
    const { body } = await ask("/v0.1/servers");
    expect(isList(body), JSON.stringify(isList.errors)).toBe(true);
    expect(skillsOf(body)).toEqual([
      [ENTRY("toolroom"), ["skill://all/SKILL.md"]],
      [ENTRY("toolset.support"), ["skill://support/SKILL.md"]],
    ]);
    const path = `/v0.1/servers/${encodeURIComponent(ENTRY("toolset.support"))}/versions/latest`;
    expect((await ask(path)).body._meta["toolroom/skills"]).toEqual([{ ...SKILL, uri: "skill://support/SKILL.md" }]);
    expect(skillsOf((await open({ access: "public" }).ask("/v0.1/servers", null)).body)).toEqual([]);
    const without = open();
    const settings = registrySettingsSchema.parse({ skills: false });
    await without.registry.save(LOCAL_PRINCIPAL, settings, OWN);
    expect(skillsOf((await without.ask("/v0.1/servers")).body)).toEqual([]);
  });

  it("pages by cursor, and filters by search, version and time", async () => {
    const { ask, names } = open();
    const seen: string[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await ask(`/v0.1/servers?limit=3&cursor=${cursor}`);
      seen.push(...body.servers.map(({ server }: RegistryEntry) => server.name));
      if (body.metadata.nextCursor === undefined) break;
      cursor = encodeURIComponent(body.metadata.nextCursor);
    }
    expect(seen).toEqual(await names());
    expect(await names("/v0.1/servers?search=SUPPORT")).toEqual([ENTRY("toolset.support")]);
    // VS Code sends the search with the first page only.
    const { body } = await ask("/v0.1/servers?search=server.&limit=2");
    expect(await names(`/v0.1/servers?cursor=${body.metadata.nextCursor}`)).toEqual([ENTRY("server.remote")]);
    expect(await names("/v0.1/servers?version=latest&limit=1")).toHaveLength(1);
    expect(await names("/v0.1/servers?version=9.9.9")).toEqual([]);
    const since = encodeURIComponent(new Date(86_000_000).toISOString());
    expect(await names(`/v0.1/servers?updated_since=${since}`)).toEqual([
      ENTRY("toolset.alpha"),
      ENTRY("toolset.support"),
    ]);
    expect(await ask("/v0.1/servers?limit=0")).toMatchObject({ status: 400 });
    expect(await ask("/v0.1/servers?updated_since=yesterday")).toMatchObject({ status: 400 });
  });

  it("has what a token admits, and nothing for those who may not read it", async () => {
    const { names, ask } = open();
    expect(await names("/v0.1/servers", limited({ toolsets: ["alpha"] }))).toEqual([ENTRY("toolset.alpha")]);
    const byGroups = { groupToolsets: ["alpha"] };
    expect(await names("/v0.1/servers", limited(byGroups))).toEqual([ENTRY("toolset.alpha")]);
    expect(await names("/v0.1/servers", limited({ ...byGroups, servers: ["remote"] }))).toEqual([
      ENTRY("toolset.alpha"),
    ]);
    expect(await names("/v0.1/servers", limited({ ...byGroups, toolsets: ["support"] }))).toEqual([]);
    expect(await names("/v0.1/servers", limited({ servers: ["remote"] }))).toEqual([
      ...["published.remote", "server.remote", "toolroom", "toolset.alpha", "toolset.support"].map(ENTRY),
    ]);
    expect(await ask("/v0.1/servers", null)).toMatchObject({ status: 401 });
    const closed = open({ access: "off" });
    expect(await closed.ask("/v0.1/servers")).toMatchObject({ status: 404 });
  });

  it("is read by other programs' windows only where it is public", async () => {
    const init = { headers: { origin: "vscode-file://vscode-app" } };
    expect(await open().ask("/v0.1/servers", LOCAL_PRINCIPAL, init)).toMatchObject({ status: 403 });
    const { ask, registry } = open({ access: "public" });
    const request = new Request(`${OWN}/v0.1/servers`);
    const foreign = await answerRegistry(request, { reader: null, refusal: "Unknown token", registry });
    expect(foreign.status).toBe(200);
    const { status, headers } = await ask("/v0.1/servers?limit=1", null, init);
    expect([status, headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
    const preflight = await ask("/v0.1/servers", null, { ...init, method: "OPTIONS" });
    expect([preflight.status, preflight.headers.get("access-control-allow-headers")]).toEqual([
      204,
      "Authorization, Content-Type",
    ]);
    expect(await ask("/v0.1/servers", null, { method: "POST" })).toMatchObject({ status: 405 });
  });

  it("leaves out what is disabled or deleted with the next request, and names what cannot be published", async () => {
    const { names, registry, servers, toolsets } = open();
    expect((await registry.get(LOCAL_PRINCIPAL, OWN)).refused).toMatchObject([{ server: "local" }]);
    Object.assign(servers[2] as object, { enabled: false });
    toolsets.pop();
    const left = await names();
    expect(left).not.toContain(ENTRY("server.remote"));
    expect(left).not.toContain(ENTRY("published.remote"));
    expect(left).not.toContain(ENTRY("toolset.support"));
    const { settings, revision, entries } = await registry.get(LOCAL_PRINCIPAL, OWN);
    // Copilot in IDEs blocks a server whose installed version is gone, so only another address or package changes it.
    Object.assign(servers[0] as object, { lastEdit: { revision: 9, by: null, at: 9_000_000 } });
    const later = await registry.save(LOCAL_PRINCIPAL, { ...settings, leastRole: "operator" }, OWN, revision);
    expect(later.entries.map(({ server }) => server.version)).toEqual(entries.map(({ server }) => server.version));
    await registry.save(LOCAL_PRINCIPAL, { ...settings, access: "off" }, OWN, later.revision);
    await expect(registry.save(LOCAL_PRINCIPAL, settings, OWN, later.revision)).rejects.toThrow(
      "changed by another save",
    );
  });

  it("publishes no server whose address or package cannot be told apart from a secret", () => {
    const describeServer = (settings: object) =>
      describePublished(serverSettingsSchema.parse({ name: "x", ...settings }));
    const refusals = [
      { transport: "http", url: "https://a.test/mcp?key=1" },
      { transport: "http", url: "https://$" + "{HOST}/mcp" },
      { transport: "stdio", command: "npx", args: ["--package", "a", "b"] },
      { transport: "stdio", command: "docker", args: ["run", "-v", "/:/host", "image"] },
      { transport: "stdio", command: "docker", args: ["run", "-e", toMask("0123456789ab"), "image"] },
      { transport: "stdio", command: "uvx", args: ["$" + "{PACKAGE}"] },
    ];
    for (const refused of refusals) expect(describeServer(refused)).toHaveProperty("reason");
    expect(
      describeServer({ transport: "stdio", command: "uvx", args: ["mcp-server-git==1.0.2", "--repository", "/r"] }),
    ).toMatchObject({
      packages: [{ registryType: "pypi", identifier: "mcp-server-git", version: "1.0.2" }],
    });
    const args = ["run", "-i", "--rm", "-e", "KEY=hidden-1", "--env=MODE", "ghcr.io/acme/files:1.2.3", "--fast"];
    const env = [{ name: "DOCKER_HOST", value: "unix:///run/docker.sock" }];
    const image = describeServer({ transport: "stdio", command: "docker", args, env });
    expect(image).toMatchObject({
      packages: [
        {
          registryType: "oci",
          identifier: "ghcr.io/acme/files:1.2.3",
          runtimeArguments: ["KEY", "MODE"].map((value) => ({ type: "named", name: "-e", value })),
          packageArguments: [{ value: "--fast" }],
          environmentVariables: [{ name: "KEY" }, { name: "MODE" }],
        },
      ],
    });
    expect(JSON.stringify(image)).not.toMatch(/hidden|DOCKER_HOST/);
    expect(describeServer({ transport: "stdio", command: "npx", args: ["-y", "@a/b@latest"] })).toMatchObject({
      packages: [{ identifier: "@a/b" }],
    });
  });
});
