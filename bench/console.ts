/**
 * `npm run bench:console`: the JavaScript (gzip) that a browser loads for each page, and when the largest element is
 * painted, on loopback with a cold cache. The not-found page is the baseline. `CALLS=1000000` records so many first.
 * `--catalog` measures a console with thousands of tools instead.
 */
import { existsSync } from "node:fs";
import { chromium } from "@playwright/test";
import { runTool } from "../e2e/support/api";
import { launchServer } from "../e2e/support/server";
import { measureCatalog } from "./console-catalog";
import { copyCalls, requestRebuild, whenRebuilt } from "./copy-calls";
import { median } from "./median";

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const CALLS = Number(process.env.CALLS ?? 60);
const LIST_KB = 195;
const EDITOR_KB = 250;
/** The pages measured: lists, and pages with the arguments editor. */
const PAGES: readonly (readonly [path: string, budgetKb: number])[] = [
  ["/nowhere", LIST_KB],
  ["/", LIST_KB],
  ["/tools", LIST_KB],
  ["/tools/get_weather", EDITOR_KB],
  ["/tools/new", EDITOR_KB],
  ["/servers", LIST_KB],
  ["/servers/new", EDITOR_KB],
  ["/executions", LIST_KB],
  ["/runs", LIST_KB],
  ["/approvals", LIST_KB],
  ["/playground", EDITOR_KB],
  ["/settings", LIST_KB],
  ["/settings/models", LIST_KB],
  ["/settings/people", LIST_KB],
  ["/settings/account", LIST_KB],
];
/** For users who are not signed in, of a server with accounts. */
const PUBLIC_PAGES: typeof PAGES = [
  ["/sign-in", LIST_KB],
  ["/join", LIST_KB],
];

interface Load {
  scriptKb: number;
  files: number;
  lcpMs: number;
  readyMs: number;
}

async function measure(url: string): Promise<Load> {
  const candidates = [
    process.env.CHROMIUM_PATH,
    chromium.executablePath(),
    "/usr/bin/chromium",
    "/usr/bin/google-chrome",
  ];
  const executablePath = candidates.find((candidate) => candidate && existsSync(candidate));
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    chromiumSandbox: process.getuid?.() !== 0,
    args: ["--disable-gpu", "--disable-background-networking"],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const network = await page.context().newCDPSession(page);
    await network.send("Network.enable");
    const scripts = new Map<string, number>();
    // The headers of a response count for nothing: they are 0.5 kB of each file, and none of it is JavaScript.
    network.on("Network.responseReceived", ({ requestId, type, response }) => {
      if (type === "Script") scripts.set(requestId, -response.encodedDataLength);
    });
    network.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      const headers = scripts.get(requestId);
      if (headers !== undefined) scripts.set(requestId, headers + encodedDataLength);
    });
    await page.goto(url, { waitUntil: "load" });
    // Counts what the page requests on its own after loading, but nothing that is loaded on demand.
    await page.waitForTimeout(1000);
    const [lcpMs, readyMs] = await page.evaluate(
      () =>
        new Promise<[number, number]>((resolve) => {
          new PerformanceObserver((list) => {
            const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
            resolve([list.getEntries().at(-1)?.startTime ?? 0, navigation?.domContentLoadedEventEnd ?? 0]);
          }).observe({ type: "largest-contentful-paint", buffered: true });
        }),
    );
    const bytes = [...scripts.values()].reduce((sum, size) => sum + size, 0);
    return { scriptKb: bytes / 1000, files: scripts.size, lcpMs, readyMs };
  } finally {
    await browser.close();
  }
}

/** Calls made one by one; the others are copies. */
const MADE_CALLS = 60;

type Server = Awaited<ReturnType<typeof launchServer>>;

/** Stops the server, and starts it again under its address with so many calls, counted for its statistics. */
async function restartWithCalls({ databaseFile, port, stop }: Server): Promise<Server> {
  await stop();
  copyCalls(databaseFile, CALLS - MADE_CALLS);
  requestRebuild(databaseFile);
  const restarted = await launchServer({ databaseFile, port });
  await whenRebuilt(databaseFile);
  return restarted;
}

async function measureConsole(): Promise<void> {
  const server = await launchServer();
  const guarded = await launchServer({ env: { TOOLROOM_AUTH: "on" } });
  const addresses = [
    ...PAGES.map((page) => [server.url, ...page] as const),
    ...PUBLIC_PAGES.map((page) => [guarded.url, ...page] as const),
  ];
  let restarted: Server | null = null;
  try {
    for (let call = 0; call < MADE_CALLS; call += 1) await runTool(server.url, "echo", { message: `call ${call}` });
    if (CALLS > MADE_CALLS) restarted = await restartWithCalls(server);
    console.log(`| page | JavaScript, gzip kB | at most | files | over an empty page | LCP ms | DOM ready ms |`);
    console.log("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let empty = 0;
    let over = 0;
    for (const [url, path, budgetKb] of addresses) {
      const loads: Load[] = [];
      for (let round = 0; round < ROUNDS; round += 1) loads.push(await measure(`${url}${path}`));
      const kb = median(loads.map(({ scriptKb }) => scriptKb));
      if (path === "/nowhere") empty = kb;
      if (kb > budgetKb) over += 1;
      const cells = [
        path === "/nowhere" ? "(empty)" : path,
        kb.toFixed(1),
        String(budgetKb),
        String(loads[0]?.files ?? 0),
        (kb - empty).toFixed(1),
        median(loads.map(({ lcpMs }) => lcpMs)).toFixed(0),
        median(loads.map(({ readyMs }) => readyMs)).toFixed(0),
      ];
      console.log(`| ${cells.join(" | ")} |`);
    }
    console.log(over === 0 ? "\nEvery page is within its budget." : `\n${over} pages are over their budget.`);
  } finally {
    await restarted?.dispose();
    await server.dispose();
    await guarded.dispose();
  }
}

await (process.argv.includes("--catalog") ? measureCatalog() : measureConsole());
