import { test as base, type ConsoleMessage, expect, type Page } from "@playwright/test";
import { forgetOwner, ownerCookies } from "./accounts";
import { type ExtraServer, launchServer, type ServerOptions } from "./server";

export { expect };

interface Fixtures {
  /** Names what a test provokes on purpose, such as a failed request while its server is away. */
  allowProblems: (...patterns: RegExp[]) => void;
  /** Starts another server with a database of its own; it ends with the test. */
  startServer: (options?: ServerOptions) => Promise<ExtraServer>;
  /** Fails a test whose pages said or asked for something they should not have. */
  cleanPages: undefined;
}

interface WorkerFixtures {
  /** The server of a worker's journeys, with a database of its own. */
  sharedServer: ExtraServer;
}

const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])$/;

/** Runs in the page before its own scripts. */
function reportPolicyViolations(): void {
  document.addEventListener("securitypolicyviolation", (event) => {
    const what = `${event.violatedDirective} blocked ${event.blockedURI || event.sample}`;
    console.error(`Content-Security-Policy: ${what} at ${event.sourceFile}:${event.lineNumber}:${event.columnNumber}`);
  });
}

function describeMessage(message: ConsoleMessage): string {
  const { url, lineNumber } = message.location();
  return `console ${message.type()}: ${message.text()} (${url}:${lineNumber})`;
}

function watchPage(page: Page, problems: string[]): void {
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(describeMessage(message));
  });
  page.on("pageerror", (error) =>
    problems.push(`uncaught on ${page.url()}: ${error.name} ${error.message} ${error.stack ?? ""}`),
  );
  page.on("request", (request) => {
    const url = new URL(request.url());
    const isNetwork = /^(https?|wss?):$/.test(url.protocol);
    if (isNetwork && !LOOPBACK.test(url.hostname)) problems.push(`request to another host: ${request.url()}`);
  });
}

export const test = base.extend<Fixtures & { allowedProblems: RegExp[] }, WorkerFixtures>({
  sharedServer: [
    // Playwright reads a fixture's dependencies from its destructured argument, which must not be empty.
    async ({ browserName: _ }, use) => {
      const server = await launchServer();
      await use(server);
      await server.dispose();
    },
    { scope: "worker" },
  ],
  baseURL: async ({ sharedServer }, use) => {
    await use(sharedServer.url);
  },
  allowedProblems: async ({ browserName: _ }, use) => {
    await use([]);
  },
  allowProblems: async ({ allowedProblems }, use) => {
    await use((...patterns) => {
      allowedProblems.push(...patterns);
    });
  },
  context: async ({ context, sharedServer: _ }, use) => {
    await context.addCookies(ownerCookies());
    await use(context);
  },
  startServer: async ({ context }, use) => {
    const started: Awaited<ReturnType<typeof launchServer>>[] = [];
    await use(async (options) => {
      const server = await launchServer(options);
      await context.addCookies(ownerCookies());
      started.push(server);
      return server;
    });
    await Promise.all(started.map((server) => server.dispose()));
    for (const { url } of started) forgetOwner(url);
  },
  cleanPages: [
    // Set up after `startServer`, so it checks before the servers end: what a page says of that is no problem.
    async ({ context, allowedProblems, startServer: _ }, use) => {
      const problems: string[] = [];
      await context.addInitScript(reportPolicyViolations);
      context.on("page", (page) => watchPage(page, problems));
      await use(undefined);
      const unexpected = problems.filter((problem) => !allowedProblems.some((pattern) => pattern.test(problem)));
      expect(unexpected, "errors, policy violations and foreign requests of the pages").toEqual([]);
    },
    { auto: true },
  ],
});
