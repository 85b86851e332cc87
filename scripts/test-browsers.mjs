// npm run test:browsers: journeys in Firefox and in WebKitGTK, the engine of Safari, as Debian packages them.
import { existsSync } from "node:fs";
import { runEntryPoint } from "./entry-point.mjs";
import { packageBin, runCommand } from "./run-command.mjs";

const PACKAGES = ["firefox-esr", "webkit2gtk-driver", "xvfb", "dbus"];
const PROGRAMS = ["firefox-esr", "WebKitWebDriver", "Xvfb", "dbus-run-session"].map((name) => `/usr/bin/${name}`);
const APT_LIMIT_MS = 10 * 60_000;

const isInstalled = () => PROGRAMS.every((program) => existsSync(program));

/** Installs both where that is possible. @returns whether they are there */
async function ensureEngines() {
  if (isInstalled()) return true;
  if (process.platform !== "linux" || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return false;
  const options = { env: { DEBIAN_FRONTEND: "noninteractive" }, timeoutMs: APT_LIMIT_MS };
  await runCommand("apt-get", ["update"], options);
  await runCommand("apt-get", ["install", "-y", "--no-install-recommends", ...PACKAGES], options);
  return isInstalled();
}

await runEntryPoint(async () => {
  if (!(await ensureEngines())) {
    console.log(`Skipped: Firefox and WebKitGTK are not installed (Debian: apt-get install ${PACKAGES.join(" ")}).`);
    return;
  }
  const args = ["test", "--config", "playwright.engines.config.ts", ...process.argv.slice(2)];
  const command = [packageBin("@playwright/test", "playwright"), ...args];
  const { code } = await runCommand(process.execPath, command, { show: true });
  process.exitCode = code;
});
