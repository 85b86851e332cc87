import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { chromium } from "@playwright/test";
import sharp from "sharp";
import { ensureBrowser } from "../../scripts/browser.mjs";
import { ensureRunnable, report } from "../../scripts/setup.mjs";
import { launchServer } from "../support/server";
import { preferTheme } from "../support/theme";
import { createFilm } from "./film";
import { SCENES } from "./scenes";
import { tellStory } from "./story";

// npm run pictures: makes the pictures and the recording of the documents from sample data, with the build of these sources.
const ROOT = path.resolve(import.meta.dirname, "../..");
const IMAGES = path.join(ROOT, "docs", "images");
const SIZE = { width: 1120, height: 700 };
const SHARPNESS = 1.5;
const FILM_SHARPNESS = 1.1;
const THEMES = ["light", "dark"] as const;

await ensureRunnable();
const folder = await mkdtemp(path.join(tmpdir(), "toolroom-pictures-"));
const databaseFile = path.join(folder, "toolroom.db");
const scenarios = ["demo", "servers"];
await promisify(execFile)(process.execPath, ["scripts/seed.mjs", ...scenarios], {
  cwd: ROOT,
  env: { ...process.env, DATABASE_URL: `file:${databaseFile}`, TOOLROOM_DATA: folder },
});
report("sample data", scenarios.join(", "));
const server = await launchServer({ databaseFile });
const browser = await chromium.launch({ executablePath: await ensureBrowser() });
await mkdir(IMAGES, { recursive: true });
try {
  const filming = await browser.newPage({ viewport: SIZE, deviceScaleFactor: FILM_SHARPNESS });
  await preferTheme(filming, "light");
  const film = createFilm(filming);
  await tellStory(filming, film, server.url);
  await film.save(path.join(IMAGES, "replay.webp"));
  await filming.close();
  report("recording", `replay.webp, ${film.length().toFixed(1)} s`);

  for (const theme of THEMES) {
    for (const { name, open } of SCENES) {
      const page = await browser.newPage({ viewport: SIZE, deviceScaleFactor: SHARPNESS });
      await preferTheme(page, theme);
      await open(page, server.url);
      const picture = sharp(await page.screenshot()).webp({ lossless: true, effort: 6 });
      await picture.toFile(path.join(IMAGES, `${name}-${theme}.webp`));
      await page.close();
    }
  }
  report("pictures", `${SCENES.length}, light and dark`);
} finally {
  await browser.close();
  await server.dispose();
  await rm(folder, { recursive: true, force: true });
}
