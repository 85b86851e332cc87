import { existsSync } from "node:fs";
import path from "node:path";
import { packageBin, runCommand, StepError } from "./run-command.mjs";

const DOWNLOAD_LIMIT_MS = 3 * 60_000;
const APT_LIMIT_MS = 10 * 60_000;

/** Chromium without windows, menus and tabs: with it the journeys take half of the processor's time. */
const SHELL = "/usr/bin/chromium-headless-shell";

const WAY_OUT =
  "Install Chromium or Chrome (Debian: apt-get install chromium-headless-shell; others: npx playwright install chromium), or set CHROMIUM_PATH=/path/to/chrome.";

function usualPlaces() {
  if (process.platform === "darwin") {
    return ["Google Chrome", "Chromium"].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);
  }
  if (process.platform === "win32") {
    const { PROGRAMFILES, "PROGRAMFILES(X86)": PROGRAMFILES_X86, LOCALAPPDATA } = process.env;
    return [PROGRAMFILES, PROGRAMFILES_X86, LOCALAPPDATA]
      .filter((directory) => directory !== undefined)
      .map((directory) => path.join(directory, "Google", "Chrome", "Application", "chrome.exe"));
  }
  return ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"].map((name) => `/usr/bin/${name}`);
}

/** The path of Playwright's Chromium, which may not be installed. */
async function playwrightChromium() {
  const { chromium } = await import("@playwright/test");
  return chromium.executablePath();
}

async function findBrowser() {
  const candidates = [SHELL, await playwrightChromium(), ...usualPlaces()];
  return candidates.find((candidate) => candidate !== "" && existsSync(candidate)) ?? null;
}

async function downloadByPlaywright() {
  const { code } = await runCommand(
    process.execPath,
    [packageBin("@playwright/test", "playwright"), "install", "chromium"],
    {
      env: { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: "10000" },
      timeoutMs: DOWNLOAD_LIMIT_MS,
    },
  );
  return code === 0;
}

async function installByApt() {
  if (process.platform !== "linux" || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return false;
  const options = { env: { DEBIAN_FRONTEND: "noninteractive" }, timeoutMs: APT_LIMIT_MS };
  await runCommand("apt-get", ["update"], options);
  // Older distributions have no shell. Without a font, pages have no visible text.
  for (const name of ["chromium-headless-shell", "chromium"]) {
    const packages = ["install", "-y", "--no-install-recommends", name, "fonts-liberation"];
    const { code } = await runCommand("apt-get", packages, options);
    if (code === 0) return true;
  }
  return false;
}

/**
 * The path of a working Chromium; installs one when the machine has none.
 * @param {(note: string) => void} tell hears what is being tried
 * @returns {Promise<string>}
 */
export async function ensureBrowser(tell = () => {}) {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    if (existsSync(named)) return named;
    throw new StepError(`CHROMIUM_PATH is ${named}, which does not exist.`, { wayOut: WAY_OUT });
  }
  const present = await findBrowser();
  if (present) return present;
  for (const [note, install] of /** @type {const} */ ([
    ["no browser found, downloading Playwright's Chromium", downloadByPlaywright],
    ["the download failed; installing the distribution's Chromium", installByApt],
  ])) {
    tell(note);
    await install();
    const installed = await findBrowser();
    if (installed) return installed;
  }
  throw new StepError("No Chromium was found, and none could be installed.", { wayOut: WAY_OUT });
}
