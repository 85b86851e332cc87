import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import {
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
} from "@modelcontextprotocol/sdk/client/auth.js";
import type { BrowserContext, Page } from "@playwright/test";
import { freePort } from "../src/lib/free-port.test-support";
import { runButton } from "./support/arguments-editor";
import { expect, test } from "./support/fixtures";
import { type Mount, startPathProxy } from "./support/path-proxy";
import type { ExtraServer } from "./support/server";
import { open, toolLink } from "./support/servers";
import { listen, startClient } from "./support/signing-client";

const EMAIL = "olivia@example.org";
const PASSWORD = "correct horse battery staple";
const STYLES = [
  { style: "keeps the path", isRemoved: false },
  { style: "removes the path", isRemoved: true },
];

test.use({ actionTimeout: 20_000 });

/** The first account, by the link of the log, whose address is the public one. */
async function join(page: Page, server: ExtraServer): Promise<void> {
  const findLink = () => /(\S+\/join#\S+)\n/.exec(server.output())?.[1] ?? "";
  await expect.poll(findLink).toContain("/join#");
  await page.goto(findLink());
  await page.getByLabel("Name").fill("Olivia");
  await page.getByLabel("E-mail").fill(EMAIL);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: /account/i }).click();
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel("E-mail").fill(EMAIL);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** One address of each kind: `/executions/…` has a hundred. */
const toKind = (pathname: string): string =>
  pathname.replace(/(exec|run)_[\w-]+/g, "…").replace(/^\/tools\/(?!new)[^/]+/, "/tools/…");

/** Opens every page that links lead to from the first one. @returns the kinds of pages */
async function walkLinks(page: Page, base: string): Promise<string[]> {
  const found = new Map([["/", `${base}/`]]);
  for (const [, address] of found) {
    const response = await page.goto(address);
    expect([address, response?.status()]).toEqual([address, 200]);
    await expect(page.getByText("live", { exact: true }), address).toBeVisible();
    const hrefs = await page
      .locator("a[href]")
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
    for (const href of hrefs.filter((each) => each.startsWith(new URL(base).origin))) {
      expect(`${href.split(/[?#]/, 1)[0]}/`, `a link of ${address}`).toContain(`${base}/`);
      const { pathname } = new URL(href);
      if (pathname.includes("/api/")) continue;
      const kind = toKind(pathname.slice(new URL(base).pathname.length));
      if (!found.has(kind)) found.set(kind, href);
    }
  }
  return [...found.keys()];
}

const readCookiePaths = async (context: BrowserContext): Promise<string[]> => [
  ...new Set((await context.cookies()).filter(({ name }) => name.includes("toolroom")).map((cookie) => cookie.path)),
];

for (const { style, isRemoved } of STYLES) {
  test(`behind a proxy that ${style}, every page, door and client works under /toolroom, and nothing is asked for beside it`, async ({
    page,
    context,
    startServer,
    allowProblems,
  }) => {
    test.setTimeout(300_000);
    await context.clearCookies();
    allowProblems(/status of 401/);
    const mount: Mount = { path: "/toolroom", port: await freePort(), isRemoved };
    const proxy = await startPathProxy([mount]);
    const base = `${proxy.origin}/toolroom`;
    const env = { TOOLROOM_AUTH: "on", TOOLROOM_PUBLIC_URL: `${base}/`, TOOLROOM_TRUSTED_PROXIES: "127.0.0.1" };
    const server = await startServer({ port: mount.port, env });
    await join(page, server);
    await expect(page).toHaveURL(`${base}/`);
    // A page that notices the end of its session would open the sign-in by itself.
    await page.goto("about:blank");
    await context.clearCookies();

    // The sign-in leads back to the page that was asked for.
    await page.goto(`${base}/tools?q=echo`);
    await expect(page).toHaveURL(`${base}/sign-in?to=%2Ftools%3Fq%3Decho`);
    await signIn(page);
    await expect(page).toHaveURL(`${base}/tools?q=echo`);
    expect(await readCookiePaths(context)).toEqual(["/toolroom"]);

    // A run, which appears in another tab, and its export.
    const other = await context.newPage();
    await other.goto(`${base}/executions`);
    await expect(other.getByText("live", { exact: true })).toBeVisible();
    await toolLink(page, "echo").click();
    await expect(page).toHaveURL(`${base}/tools/echo`);
    await page.getByLabel("message", { exact: true }).fill('"under a path"');
    await runButton(page).click();
    await expect(other.getByRole("row").filter({ hasText: "under a path" })).toBeVisible();
    await other.close();
    await open(page, `${base}/settings/audit`);
    const downloading = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export as CSV" }).click();
    expect((await downloading).suggestedFilename()).toContain(".csv");
    // An upload, which the server compares.
    await open(page, `${base}/settings/sharing`);
    await page.getByLabel("Open a file").setInputFiles(path.resolve("e2e/support/greet-catalog.json"));
    await expect(page.getByRole("button", { name: /^Import \d/ })).toBeVisible();
    // Preferences are kept for the next page.
    await open(page, `${base}/settings`);
    await page.getByRole("link", { name: "Executions" }).first().click();
    await expect(page).toHaveURL(`${base}/executions`);
    await page.goBack();
    await expect(page).toHaveURL(`${base}/settings`);

    await open(page, `${base}/clients`);
    await expect(page.getByRole("main")).toContainText(`${base}/mcp`);

    const kinds = await walkLinks(page, base);
    expect(kinds).toEqual(
      expect.arrayContaining(["/tools/…", "/executions/…", "/servers", "/playground", "/settings/audit"]),
    );
    expect(kinds.length).toBeGreaterThan(25);

    // An MCP client finds the sign-in by the address of the gateway alone.
    const resource = await discoverOAuthProtectedResourceMetadata(`${base}/mcp`);
    expect(resource.resource).toBe(`${base}/mcp`);
    const [issuer = ""] = resource.authorization_servers ?? [];
    const metadata = await discoverAuthorizationServerMetadata(issuer);
    expect([issuer, metadata?.issuer]).toEqual([`${base}/api/auth`, `${base}/api/auth`]);
    const callback = await listen();
    const client = await startClient(base, `http://127.0.0.1:${callback.port}/callback`);
    await page.goto("about:blank");
    await context.clearCookies();
    await page.goto(client.authorizeUrl);
    await signIn(page);
    await page.getByRole("button", { name: "Allow" }).click();
    await expect(page).toHaveTitle("Signed in");
    const answer = callback.requests.find(({ pathname }) => pathname === "/callback")?.searchParams;
    expect(answer?.get("iss")).toBe(issuer);
    const accessToken = await client.redeem(answer?.get("code") ?? "");
    expect(await client.connect(accessToken)).toBe(200);
    await callback.close();

    // Programs: the REST API and the command line, with a token.
    const input = { name: "journey", scopes: ["read", "run"], tools: null, servers: null, validDays: 1 };
    const created = await page.request.post(`${base}/api/trpc/tokens.create`, {
      data: { json: input },
      headers: { origin: proxy.origin },
    });
    const token: string = (await created.json()).result.data.json.text;
    const environment = { ...process.env, TOOLROOM_URL: `${base}/`, TOOLROOM_API_TOKEN: token };
    const args = [path.resolve("scripts/toolroom.mjs"), "call", "echo", "--message", "from the command line"];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment });
    expect(stdout).toContain("from the command line");

    expect(proxy.strays.filter((stray) => !stray.includes("/favicon.ico"))).toEqual([]);
    expect(server.output()).not.toContain('"level":50');
    await proxy.close();
  });
}

test("two Toolrooms under paths of one host do not share a session, a preference or a draft", async ({
  page,
  context,
  startServer,
}) => {
  test.setTimeout(120_000);
  await context.clearCookies();
  const mounts: Mount[] = [];
  const proxy = await startPathProxy(mounts);
  const bases: string[] = [];
  for (const name of ["/team", "/team-b"]) {
    const port = await freePort();
    mounts.push({ path: name, port, isRemoved: false });
    const base = proxy.origin + name;
    bases.push(base);
    const env = { TOOLROOM_AUTH: "on", TOOLROOM_PUBLIC_URL: base, TOOLROOM_TRUSTED_PROXIES: "127.0.0.1" };
    await join(page, await startServer({ port, env }));
    await expect(page).toHaveURL(`${base}/`);
  }
  const [first = "", second = ""] = bases;
  const kept = await page.request.post(`${first}/api/preferences`, { data: "dark" });
  expect(kept.status()).toBe(204);
  await open(page, `${first}/settings`);
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await open(page, `${second}/settings`);
  await expect(page.locator("html")).not.toHaveAttribute("data-theme", "dark");
  await open(page, `${first}/settings`);
  await expect(page.locator("html"), "the first one's choice is kept").toHaveAttribute("data-theme", "dark");

  const paths = (await context.cookies()).map((cookie) => cookie.path);
  expect([...new Set(paths)].toSorted(), "no cookie is sent to both").toEqual(["/team", "/team-b"]);
  await page.getByRole("button", { name: /Olivia/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL(`${first}/sign-in`);
  await page.goto(`${second}/tools`);
  await expect(page).toHaveURL(`${second}/tools`);
  expect(proxy.strays.filter((stray) => !stray.includes("/favicon.ico"))).toEqual([]);
  await proxy.close();
});
