import { defineConfig } from "@playwright/test";
import common from "./playwright.config";

/** `npm run test:browsers`: journeys in Firefox and WebKitGTK. */
export default defineConfig<object, { engine: "firefox" | "webkit" }>({
  testDir: "e2e/engines",
  testMatch: "*.journey.ts",
  outputDir: "test-results/engines",
  ...(common.globalSetup === undefined ? {} : { globalSetup: common.globalSetup }),
  workers: 2,
  forbidOnly: Boolean(process.env.CI),
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [["list"]],
  projects: [
    { name: "firefox", use: { engine: "firefox" } },
    { name: "webkit", use: { engine: "webkit" } },
  ],
});
