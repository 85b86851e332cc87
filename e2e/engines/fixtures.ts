import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test as base, expect } from "@playwright/test";
import { launchServer } from "../support/server";
import { EnginePage } from "./engine-page";
import { type EngineName, openEngine, type WebDriver } from "./webdriver";

export { expect };

interface Engine {
  driver: WebDriver;
  /** Where the browser puts what it downloads. */
  downloads: string;
}

interface WorkerFixtures {
  engine: EngineName;
  running: Engine;
  server: { url: string };
}

/** Lines that an engine prints for what a page did wrong. */
const PAGE_ERRORS =
  /^(?:JavaScript error: http|console\.error: (?!RSLoader)|CONSOLE (?:JS|SECURITY|RENDERING) ERROR).*/gm;

/** Journeys in Debian's Firefox and WebKitGTK, which Playwright cannot drive: its runner is used, not its browsers. */
export const test = base.extend<{ tab: EnginePage; problems: RegExp[] }, WorkerFixtures>({
  engine: ["firefox", { scope: "worker", option: true }],
  server: [
    async ({ browserName: _ }, use) => {
      const server = await launchServer();
      await use(server);
      await server.dispose();
    },
    { scope: "worker" },
  ],
  running: [
    async ({ engine }, use) => {
      const downloads = await mkdtemp(path.join(tmpdir(), "toolroom-downloads-"));
      const driver = await openEngine(engine, { downloads });
      await driver.command("timeouts", { script: 20_000, pageLoad: 30_000 });
      await use({ driver, downloads });
      await driver.close();
      await rm(downloads, { recursive: true, force: true });
    },
    { scope: "worker", timeout: 60_000 },
  ],
  // What a journey provokes.
  problems: async ({ browserName: _ }, use) => {
    await use([]);
  },
  tab: async ({ engine, running: { driver }, server, problems }, use, info) => {
    const printed = driver.output().length;
    const tab = new EnginePage(engine, driver, server.url);
    await tab.open("/healthz");
    await tab.resize(1280, 800);
    await use(tab);
    if (info.error !== undefined) await info.attach("text", { body: await tab.text().catch(() => "") });
    const said = driver.output().slice(printed).match(PAGE_ERRORS) ?? [];
    const unexpected = said.filter((line) => !problems.some((pattern) => pattern.test(line)));
    expect(unexpected, "errors and policy violations of the pages").toEqual([]);
  },
});
