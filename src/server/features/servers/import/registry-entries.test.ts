import { describe, expect, it } from "vitest";
import { openImport } from "./parse-import.test-support";

const parseImport = openImport();
const ref = (inside: string): string => `\${${inside}}`;

async function read(json: unknown) {
  const { servers, problems } = await parseImport(JSON.stringify(json));
  expect(problems).toEqual([]);
  return servers;
}

describe("a server.json of the MCP registry", () => {
  it("becomes a server for each package and each remote address", async () => {
    const servers = await read({
      $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
      name: "io.github.example/weather",
      title: "Weather",
      description: "Forecasts",
      version: "1.2.0",
      packages: [
        {
          registryType: "npm",
          identifier: "@example/weather-mcp",
          version: "1.2.0",
          runtimeHint: "npx",
          transport: { type: "stdio" },
          packageArguments: [
            { type: "positional", valueHint: "units", value: "metric" },
            { type: "named", name: "--days", default: "5" },
            { type: "named", name: "--cache", description: "Folder for a cache", format: "filepath" },
          ],
          environmentVariables: [
            { name: "WEATHER_API_KEY", description: "From your account", isRequired: true, isSecret: true },
            { name: "LOG_LEVEL", default: "info" },
          ],
        },
        { registryType: "pypi", identifier: "weather-mcp", version: "0.5.0" },
        {
          registryType: "oci",
          identifier: "ghcr.io/example/weather:1.2.0",
          runtimeArguments: [{ type: "named", name: "--network", value: "host" }],
          environmentVariables: [{ name: "KEY", isRequired: true }],
        },
        {
          registryType: "nuget",
          identifier: "Example.Weather",
          version: "2.0.0",
          packageArguments: [{ type: "positional", value: "start" }],
        },
      ],
      remotes: [
        {
          type: "streamable-http",
          url: "https://{tenant}.example.com/mcp",
          variables: { tenant: { description: "Your team", isRequired: true } },
          headers: [
            { name: "X-API-Key", isRequired: true, isSecret: true },
            { name: "X-Region", default: "eu" },
          ],
        },
        { type: "sse", url: "https://example.com/sse" },
      ],
    });
    expect(servers.map(({ name, problems }) => [name, problems])).toEqual(
      ["weather", "weather-2", "weather-3", "weather-4", "weather-5", "weather-6"].map((name) => [name, []]),
    );
    const [npm, pypi, oci, nuget, http, sse] = servers.map(({ settings }) => settings);
    expect(npm).toMatchObject({
      title: "Weather",
      command: "npx",
      args: ["-y", "@example/weather-mcp@1.2.0", "metric", "--days", "5"],
      env: [
        { name: "WEATHER_API_KEY", value: ref("WEATHER_API_KEY") },
        { name: "LOG_LEVEL", value: "info" },
      ],
    });
    expect(servers[0]?.notes).toEqual([
      `env.WEATHER_API_KEY: needs a value (From your account); set ${ref("WEATHER_API_KEY")} for Toolroom, or type the value in the form`,
      "packageArguments.--cache: is optional and was left out (Folder for a cache)",
    ]);
    expect(pypi).toMatchObject({ command: "uvx", args: ["weather-mcp@0.5.0"] });
    expect(oci).toMatchObject({
      command: "docker",
      args: ["run", "-i", "--rm", "--network", "host", "-e", "KEY", "ghcr.io/example/weather:1.2.0"],
    });
    expect(nuget).toMatchObject({ command: "dnx", args: ["Example.Weather@2.0.0", "--yes", "--", "start"] });
    expect(http).toMatchObject({
      transport: "http",
      url: `https://${ref("TENANT")}.example.com/mcp`,
      headers: [
        { name: "X-API-Key", value: ref("X_API_KEY") },
        { name: "X-Region", value: "eu" },
      ],
    });
    expect(sse).toMatchObject({ transport: "sse" });
  });

  it("is read in the older spelling, and in the answers of a registry", async () => {
    const older = {
      name: "io.modelcontextprotocol/brave-search",
      packages: [
        {
          registry_type: "npm",
          identifier: "server-brave-search",
          version: "1.0.2",
          environment_variables: [{ name: "BRAVE_API_KEY", is_required: true }],
        },
      ],
    };
    for (const json of [older, { server: older, _meta: {} }, { servers: [{ server: older }], metadata: {} }]) {
      const [server] = await read(json);
      expect(server).toMatchObject({
        name: "brave-search",
        settings: { args: ["-y", "server-brave-search@1.0.2"], env: [{ name: "BRAVE_API_KEY" }] },
      });
    }
  });

  it("says of a package that cannot be started what to do instead", async () => {
    const [bundle, nameless] = await read({
      name: "a/editor",
      packages: [{ registryType: "mcpb", identifier: "https://example.com/editor.mcpb" }, { registryType: "npm" }],
    });
    expect(bundle).toMatchObject({ settings: null });
    expect(bundle?.problems).toEqual([
      expect.stringMatching(/^registryType: packages of type "mcpb" cannot be started here: use "npm"/),
    ]);
    expect(nameless?.problems).toEqual(["identifier: is missing: add the name of the package"]);
  });

  it("takes a package that listens at an address for that address", async () => {
    const [server] = await read({
      name: "a/b",
      packages: [
        {
          registryType: "npm",
          identifier: "b",
          transport: {
            type: "streamable-http",
            url: "http://127.0.0.1:{port}/mcp",
            variables: { port: { default: "3000" } },
          },
        },
      ],
    });
    expect(server).toMatchObject({ settings: { transport: "http", url: "http://127.0.0.1:3000/mcp" }, problems: [] });
    expect(server?.notes[0]).toContain("must be started by hand");
  });
});
