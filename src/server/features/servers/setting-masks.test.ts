import { describe, expect, it } from "vitest";
import { type ServerSettingsInput, serverSettingsSchema } from "../../../lib/contract/server";
import { findSettingSecrets } from "../../../lib/server-settings/hide-secrets";
import { PLAIN_READERS } from "./server.test-support";
import { maskSettings, restoreSettings } from "./setting-masks";

const { getMask } = PLAIN_READERS;
const parse = (settings: ServerSettingsInput) => serverSettingsSchema.parse(settings);
const command = (...args: string[]) => parse({ name: "one", transport: "stdio", command: "npx", args });
const remote = (url: string) => parse({ name: "one", transport: "http", url });

const api = (url: string, document: string) =>
  parse({ name: "one", transport: "openapi", url, document: { from: "url", url: document } });

describe("masked settings", () => {
  it.each([
    command("-y", "pkg", "--api-key", "s3cret-1", "postgres://ada:s3cret-2@db/x", '{"token":"s3cret-3"}'),
    command("--api-key", "-s3cret-1", "https:ada:s3cret-2@h", "run --token -s3cret-3", "--cookie", "id=s3cret-4"),
    remote("https://host/mcp?api_key=s3cret-1&page=2"),
    remote("https://host/mcp?code=s3cret-1%2Fabcdefghijklm"),
    api("https://host/v1?key=s3cret-1", "https://docs/api.json?token=s3cret-2"),
  ])("hold no secret, and become the stored ones again", (settings) => {
    const shown = maskSettings(settings, getMask);
    expect(JSON.stringify(shown)).not.toContain("s3cret");
    expect(restoreSettings(shown, settings, getMask)).toEqual({ settings, problems: [] });
  });

  it("find no secret in what follows one", () => {
    expect(findSettingSecrets(command("run --token -s3cret-1 server"))).toEqual(["-s3cret-1"]);
  });

  it("keep a secret where another argument is added, removed or moved", () => {
    const before = command("--api-key", "s3cret-1", "--root", "/srv");
    const edited = command("--verbose", "--root", "/home", "--api-key", getMask("s3cret-1"));
    expect(restoreSettings(edited, before, getMask).settings).toMatchObject({
      args: ["--verbose", "--root", "/home", "--api-key", "s3cret-1"],
    });
  });

  it("send a secret of an address to no other origin, nor to another address of the server", () => {
    const mask = getMask("s3cret-1");
    const problem = (path: string) => [{ path, message: "is masked: enter the value again" }];
    const before = remote("https://host/mcp?api_key=s3cret-1");
    expect(restoreSettings(remote(`https://host/other?k=${mask}`), before, getMask).problems).toEqual([]);
    expect(restoreSettings(remote(`https://evil/mcp?api_key=${mask}`), before, getMask).problems).toEqual(
      problem("url"),
    );
    const described = api("https://host/v1?key=s3cret-1", "https://docs/api.json");
    const moved = restoreSettings(api("https://host/v1", `https://docs/?key=${mask}`), described, getMask);
    expect(moved.problems).toEqual(problem("document.url"));
  });

  it("are refused for a new server, and for a command that replaces an address", () => {
    const mask = getMask("s3cret-1");
    const problem = [{ path: "args[1]", message: "is masked: enter the value again" }];
    expect(restoreSettings(command("--api-key", mask), undefined, getMask).problems).toEqual(problem);
    const before = remote("https://host/mcp?api_key=s3cret-1");
    expect(restoreSettings(command("--api-key", mask), before, getMask).problems).toEqual(problem);
  });
});
