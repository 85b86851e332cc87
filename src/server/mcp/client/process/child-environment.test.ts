import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openBench } from "../connections.test-support";
import { createChildEnvironment, explainWithheld } from "./child-environment";

const getNames = (own: Record<string, string>, passed?: string[]): string[] =>
  Object.keys(createChildEnvironment(own, {}, passed).environment).sort();

describe("a server's process", () => {
  it("inherits what it needs to run and nothing that a shell would execute", () => {
    const own = { PATH: "/bin", LC_ALL: "C", SECRET: "no", HOME: "() { :; }", lang: "de" };
    expect(createChildEnvironment(own, { MINE: "1", PATH: "/other" }).environment).toEqual({
      PATH: "/other",
      LC_ALL: "C",
      lang: "de",
      MINE: "1",
    });
  });

  it.each([
    ["proxies, in both cases", ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"]],
    ["certificates", ["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE"]],
    ["settings of npm, pip and uv", ["npm_config_registry", "NPM_CONFIG_CAFILE", "PIP_INDEX_URL", "UV_INDEX_URL"]],
    ["its locale and folders", ["LANG", "LC_CTYPE", "LANGUAGE", "TZ", "HOME", "USERPROFILE", "XDG_CONFIG_HOME"]],
  ])("inherits %s", (_, names) => {
    const own = { ...Object.fromEntries(names.map((name) => [name, "x"])), OTHER: "x", TOOLROOM_API_TOKEN: "x" };
    expect(getNames(own)).toEqual([...names].sort());
  });

  it("does not inherit what npm says of the command that started Toolroom, and inherits it where a user set it", () => {
    const own = {
      npm_config_offline: "true",
      npm_config_package: "toolroom",
      npm_config_registry: "https://r.example",
    };
    expect(getNames({ ...own, npm_command: "exec" })).toEqual(["npm_config_registry"]);
    expect(getNames(own)).toEqual(Object.keys(own).sort());
  });

  it("inherits what the configuration lists, by names and beginnings", () => {
    const own = { JAVA_HOME: "/java", JAVA_OPTS: "-x", AWS_PROFILE: "a", AWS_SECRET: "b" };
    expect(getNames(own)).toEqual([]);
    expect(getNames(own, ["JAVA_*", "AWS_PROFILE"])).toEqual(["AWS_PROFILE", "JAVA_HOME", "JAVA_OPTS"]);
  });
});

describe("what explains a download that fails", () => {
  const refused = { stderr: ["npm error code ECONNREFUSED"], isSilent: false };

  it("is named for programs that download, where it fits, without values", () => {
    const { withheld } = createChildEnvironment({ GLOBAL_AGENT_HTTP_PROXY: "http://me:pw@p", MINE: "1" }, {});
    expect(withheld).toEqual(["GLOBAL_AGENT_HTTP_PROXY"]);
    const several = { AWS_CA_BUNDLE: "x", Z_PROXY: "x", DENO_CERT: "x" };
    expect(createChildEnvironment(several, {}).withheld).toEqual(["Z_PROXY", "AWS_CA_BUNDLE", "DENO_CERT"]);
    const said = explainWithheld("/usr/bin/npx", withheld, refused);
    expect(said).toMatch(/^GLOBAL_AGENT_HTTP_PROXY is set for Toolroom and not passed .*"serverEnvironment"/);
    expect(said).not.toContain("pw");
    expect(explainWithheld("uvx.exe", withheld, { stderr: [], isSilent: true })).toContain("GLOBAL_AGENT_HTTP_PROXY");
  });

  it("is left out for other programs, other failures and where all is passed", () => {
    expect(explainWithheld("node", ["A_PROXY"], refused)).toBeNull();
    expect(explainWithheld("npx", [], refused)).toBeNull();
    expect(explainWithheld("npx", ["A_PROXY"], { stderr: ["npm error 404 Not Found"], isSilent: false })).toBeNull();
    expect(createChildEnvironment({ A_PROXY: "x" }, { A_PROXY: "y" }).withheld).toEqual([]);
  });
});

it.skipIf(process.platform === "win32")(
  "an error of npx behind a proxy names the variable that is not passed, and shows no password of a proxy",
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "toolroom-npx-"));
    const npx = path.join(folder, "npx");
    writeFileSync(npx, '#!/bin/sh\necho "npm error connect ECONNREFUSED via $HTTPS_PROXY" >&2\nexit 1\n');
    chmodSync(npx, 0o755);
    const variables = {
      PATH: process.env.PATH,
      HTTPS_PROXY: "http://ada:proxy-p4ssword@127.0.0.1:9",
      CORPORATE_PROXY: "http://ada:other-p4ssword@127.0.0.1:9",
    };
    const { connections, lines } = openBench({ variables });
    connections.apply({
      name: "files",
      transport: "stdio",
      command: npx,
      args: ["-y", "some-server"],
      env: {},
      cwd: null,
      enabled: true,
      protocol: "legacy",
      connectTimeoutMs: 15_000,
      roots: [],
    });
    const { reason } = await connections.ready("files");
    expect(reason).toContain("ECONNREFUSED via http://[redacted]@127.0.0.1:9");
    expect(reason).toContain(
      'CORPORATE_PROXY is set for Toolroom and not passed to the server: if "npx"'.replaceAll('"', "'"),
    );
    expect(JSON.stringify([reason, lines])).not.toMatch(/p4ssword/);
  },
);
