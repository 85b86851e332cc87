import type { Locator, Page } from "@playwright/test";
import sharp from "sharp";

/** Milliseconds between two pictures of a moving pointer or of typed text. */
const STEP_MS = 45;
const POINTER_STEPS = 9;
const CLICK_MS = 260;
const QUALITY = 90;
/** The largest effort of the encoder: it runs once, and the file is downloaded often. */
const EFFORT = 6;
const POINTER =
  '<svg width="26" height="26" viewBox="0 0 24 24"><path d="M5 2v17l4.6-4.3 2.9 6.6 3-1.3-2.9-6.5H19z" fill="#111" stroke="#fff" stroke-width="1.6"/></svg>';

interface Frame {
  png: Buffer;
  ms: number;
}

interface Overlay {
  caption: string;
  x: number;
  y: number;
  isDown: boolean;
}

/** Draws pointer and caption; a navigation removes what was drawn. */
function drawOverlay(page: Page, overlay: Overlay): Promise<void> {
  return page.evaluate(
    // Without functions of its own: the compiler would mark their names by a helper that the page does not have.
    ({ pointer, caption, x, y, isDown }) => {
      for (const id of ["film-caption", "film-pointer"]) {
        let shown = document.getElementById(id);
        if (shown === null) {
          shown = document.createElement("div");
          shown.id = id;
          shown.setAttribute("popover", "manual");
          document.body.append(shown);
        }
        if (id === "film-caption") {
          shown.textContent = caption;
          Object.assign(shown.style, {
            inset: "auto auto 18px 50%",
            translate: "-50% 0",
            margin: "0",
            padding: "9px 20px",
            border: "none",
            borderRadius: "999px",
            background: "#111827",
            color: "#fff",
            font: `600 17px ${getComputedStyle(document.body).fontFamily}`,
            boxShadow: "0 4px 18px rgb(0 0 0 / 0.35)",
          });
        } else {
          shown.innerHTML = pointer;
          Object.assign(shown.style, {
            inset: `${y - 2}px auto auto ${x - 5}px`,
            margin: "0",
            padding: "0",
            border: "none",
            background: "none",
            overflow: "visible",
            pointerEvents: "none",
            scale: isDown ? "0.8" : "1",
          });
        }
        // The top layer shows what was opened last above dialogs.
        if (shown.matches(":popover-open")) shown.hidePopover();
        shown.showPopover();
      }
    },
    { pointer: POINTER, ...overlay },
  );
}

/**
 * Records a page picture by picture, each with the time that it stays. Chromium shows no pointer in screenshots, so the film draws
 * one, and a caption at the lower edge.
 */
export function createFilm(page: Page) {
  const frames: Frame[] = [];
  const at = { x: 640, y: 360 };
  let caption = "";

  async function shoot(ms: number, isDown = false): Promise<void> {
    await drawOverlay(page, { caption, ...at, isDown });
    frames.push({ png: await page.screenshot({ caret: "initial" }), ms });
  }

  async function moveTo(target: Locator): Promise<void> {
    await target.scrollIntoViewIfNeeded();
    const box = await target.boundingBox();
    if (box === null) throw new Error(`${target} has no place on the page`);
    const from = { ...at };
    const to = { x: box.x + Math.min(box.width / 2, 120), y: box.y + box.height / 2 };
    for (let step = 1; step <= POINTER_STEPS; step += 1) {
      const share = step / POINTER_STEPS;
      const eased = share * share * (3 - 2 * share);
      at.x = from.x + (to.x - from.x) * eased;
      at.y = from.y + (to.y - from.y) * eased;
      await shoot(STEP_MS);
    }
    await page.mouse.move(at.x, at.y);
  }

  return {
    /** Shows the page as it is for a time. */
    hold: shoot,
    /** From the next picture on. */
    say(text: string): void {
      caption = text;
    },
    moveTo,
    async click(target: Locator): Promise<void> {
      await moveTo(target);
      await shoot(CLICK_MS, true);
      await target.click();
    },
    async type(target: Locator, text: string): Promise<void> {
      await moveTo(target);
      await target.fill("");
      for (const character of text) {
        await target.pressSequentially(character);
        await shoot(STEP_MS * 2);
      }
    },
    /** @returns seconds */
    length: (): number => frames.reduce((sum, { ms }) => sum + ms, 0) / 1000,
    /** Writes an animated WebP that starts again at its end. */
    async save(file: string): Promise<void> {
      const pictures = frames.map(({ png }) => png);
      await sharp(pictures, { join: { animated: true } })
        .webp({
          quality: QUALITY,
          effort: EFFORT,
          minSize: true,
          loop: 0,
          delay: frames.map(({ ms }) => ms),
        })
        .toFile(file);
    },
  };
}

export type Film = ReturnType<typeof createFilm>;
