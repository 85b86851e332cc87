import { existsSync } from "node:fs";
import { chromium, defineConfig } from "@playwright/test";

/** The first Chromium there is; none leaves it to Playwright to say so. */
function findChromium(): string | undefined {
  const candidates = [
    process.env.CHROMIUM_PATH,
    "/usr/bin/chromium-headless-shell",
    chromium.executablePath(),
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
  ];
  return candidates.find((candidate) => candidate && existsSync(candidate));
}

// Chromium takes the last of several such switches, so this one repeats what Playwright switches off and a test can notice.
const DISABLED_FEATURES = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AimEnabled",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PreconnectToSearch",
  // A new window's own two pages for the address bar, and a process in stock: each cost more than many a journey's page.
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  "SpareRendererForSitePerProcess",
].join(",");

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  globalSetup: "./e2e/support/build.ts",
  // Each has a server of its own; its journeys take turns on it. One more than the smallest machine has cores: journeys wait half of their time.
  workers: 3,
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [["list"]],
  use: {
    locale: "en-GB",
    timezoneId: "UTC",
    viewport: { width: 1280, height: 800 },
    contextOptions: { reducedMotion: "reduce" },
    // Recording the page at each action took a fifth of the processor's time: `npm run e2e -- <file> --trace on` does it.
    trace: { mode: "retain-on-failure", screenshots: false, snapshots: false, sources: false },
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: findChromium(),
      // Chromium's sandbox refuses to run as root, which is who many containers are.
      chromiumSandbox: process.getuid?.() !== 0,
      args: [
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        `--disable-features=${DISABLED_FEATURES}`,
      ],
    },
  },
  projects: [{ name: "chromium" }],
});
