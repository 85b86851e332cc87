import { expect } from "@playwright/test";
import { findCoveredControls, findSpot, installTools, readPage, type Spot, type Wanted } from "./in-page";
import type { EngineName, WebDriver } from "./webdriver";

/** The codes of WebDriver. */
const KEYS: Record<string, string> = {
  Alt: "\uE00A",
  ArrowDown: "\uE015",
  ArrowUp: "\uE013",
  Backspace: "\uE003",
  Control: "\uE009",
  Enter: "\uE007",
  Escape: "\uE00C",
  Shift: "\uE008",
  Tab: "\uE004",
};
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** A window of an engine, in the words of the journeys. Whatever looks for something waits until it is there. */
export class EnginePage {
  constructor(
    readonly engine: EngineName,
    private readonly driver: WebDriver,
    private readonly baseUrl: string,
  ) {}

  async open(path: string): Promise<void> {
    const url = new URL(path, this.baseUrl).href;
    await this.driver.command("navigate", { url });
    await expect.poll(() => this.#peek(() => document.readyState)).toBe("complete");
  }

  /** Opens a page of the console and waits until its scripts run: what is typed before can be lost. */
  async visit(path: string): Promise<void> {
    await this.open(path);
    await this.isLive();
  }

  async isLive(): Promise<void> {
    await expect
      .poll(() => this.#peek(() => document.querySelector("[data-live]")?.getAttribute("data-live")), "live updates")
      .toBe("live");
  }

  /** Runs a function in the page; it may return a promise. */
  async evaluate<A extends unknown[], R>(run: (...given: A) => R, ...given: A): Promise<Awaited<R>> {
    const script = `
      const given = [...arguments]; const done = given.pop();
      (${installTools})();
      Promise.resolve().then(() => (${run})(...given)).then((value) => done({ value }), (error) => done({ error: String(error && error.stack || error) }));`;
    const result = (await this.driver.command("script", { script, args: given })) as {
      value?: unknown;
      error?: string;
    };
    if (result.error !== undefined) throw new Error(result.error);
    return result.value as Awaited<R>;
  }

  /** As `evaluate`; undefined while a page is being left. */
  async #peek<A extends unknown[], R>(run: (...given: A) => R, ...given: A): Promise<Awaited<R> | undefined> {
    return await this.evaluate(run, ...given).catch(() => undefined);
  }

  /** Where a pointer hits it, once nothing is in front of it and it has come to rest. */
  async #locate(wanted: Wanted): Promise<Spot> {
    let spot: Spot | null | undefined;
    await expect
      .poll(
        async () => {
          const before = spot;
          spot = await this.#peek(findSpot, wanted);
          if (!spot) return "not there";
          if (spot.hidden !== null) return `under ${spot.hidden}`;
          return before && before.x === spot.x && before.y === spot.y ? "at rest" : "moves";
        },
        { message: `${wanted.role} "${wanted.name ?? ""}"`, intervals: [50] },
      )
      .toBe("at rest");
    return spot as unknown as Spot;
  }

  async press(role: string, name?: string, more: Partial<Wanted> = {}): Promise<void> {
    await this.#press(await this.#locate({ role, ...(name === undefined ? {} : { name }), ...more }));
  }

  async #press({ x, y }: Pick<Spot, "x" | "y">): Promise<void> {
    const pointer = { type: "pointer", id: "mouse", parameters: { pointerType: "mouse" } };
    const actions = [
      { type: "pointerMove", x: Math.round(x), y: Math.round(y), duration: 0 },
      { type: "pointerDown", button: 0 },
      { type: "pointerUp", button: 0 },
    ];
    await this.driver.command("actions", { actions: [Object.assign(pointer, { actions })] });
  }

  /** Replaces what is in a field, by keys. */
  async fill(name: string, text: string, more: Partial<Wanted> = {}): Promise<void> {
    const role = more.role ?? "textbox";
    await this.press(role, name, more);
    await this.key("a", "Control");
    await this.key("Backspace");
    await this.type(text);
  }

  async type(text: string): Promise<void> {
    const strokes = [...text].flatMap((value) => [
      { type: "keyDown", value },
      { type: "keyUp", value },
    ]);
    await this.driver.command("actions", { actions: [{ type: "key", id: "keys", actions: strokes }] });
  }

  async key(key: string, ...modifiers: string[]): Promise<void> {
    const down = (name: string) => ({ type: "keyDown", value: KEYS[name] ?? name });
    const up = (name: string) => ({ type: "keyUp", value: KEYS[name] ?? name });
    const actions = [...modifiers.map(down), down(key), up(key), ...modifiers.map(up)];
    await this.driver.command("actions", { actions: [{ type: "key", id: "keys", actions }] });
  }

  async choose(name: string, option: string): Promise<void> {
    await this.has({ role: "combobox", name });
    // The list of a select is the system's, outside of the page.
    await this.evaluate(
      (wanted, label) => {
        const { engineTools } = globalThis as unknown as { engineTools: { find(each: Wanted): HTMLElement[] } };
        const select = engineTools.find(wanted)[0] as HTMLSelectElement;
        const found = [...select.options].find((each) => each.label.includes(label));
        if (found === undefined) throw new Error(`No option ${label}`);
        const set = Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, "value")?.set;
        set?.call(select, found.value);
        select.dispatchEvent(new Event("input", { bubbles: true }));
        select.dispatchEvent(new Event("change", { bubbles: true }));
      },
      { role: "combobox", name },
      option,
    );
  }

  /** Chooses a file as a user does in the system's dialog. */
  async upload(selector: string, file: string): Promise<void> {
    const element = (await this.driver.command("script", {
      script: "const [selector, done] = arguments; done(document.querySelector(selector))",
      args: [selector],
    })) as Record<string, string>;
    await this.driver.command("type", { id: element[ELEMENT], text: file });
  }

  async has(wanted: Wanted): Promise<void> {
    await this.#locate(wanted);
  }

  /** Waits for a text that is visible. */
  async shows(text: string): Promise<void> {
    await expect.poll(() => this.text(), `shows "${text}"`).toContain(text);
  }

  async hides(text: string): Promise<void> {
    await expect.poll(() => this.text(), `hides "${text}"`).not.toContain(text);
  }

  async text(): Promise<string> {
    return (await this.#peek(readPage)) ?? "";
  }

  /** Waits until the address has this part. */
  async isAt(part: string | RegExp): Promise<void> {
    const path = () => this.#peek(() => location.pathname + location.search);
    if (typeof part === "string") await expect.poll(path).toContain(part);
    else await expect.poll(path).toMatch(part);
  }

  async status(value: string, within?: string): Promise<void> {
    const find = (wanted: string, name: string | null) => {
      const { engineTools } = globalThis as unknown as { engineTools: { find(each: Wanted): HTMLElement[] } };
      const around = name === null ? [document.body] : engineTools.find({ role: "region", name });
      return around.some((each) => each.querySelector(`[data-status="${wanted}"]`) !== null);
    };
    await expect.poll(() => this.#peek(find, value, within ?? null), `${within ?? "page"}: ${value}`).toBe(true);
  }

  covered() {
    return this.evaluate(findCoveredControls);
  }

  async resize(width: number, height: number): Promise<void> {
    // The frame of the window and its bars take room.
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const [innerWide, innerHigh, wide, high] = await this.evaluate(() => [
        innerWidth,
        innerHeight,
        outerWidth,
        outerHeight,
      ]);
      if (innerWide === width && innerHigh === height) return;
      const rect = {
        x: 0,
        y: 0,
        width: width + (wide ?? 0) - (innerWide ?? 0),
        height: height + (high ?? 0) - (innerHigh ?? 0),
      };
      await this.driver.command("rect", rect);
      await this.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    }
  }

  async newWindow(): Promise<string> {
    const { handle } = (await this.driver.command("newWindow", { type: "window" })) as { handle: string };
    await this.driver.command("switchWindow", { handle });
    return handle;
  }

  async currentWindow(): Promise<string> {
    return (await this.driver.command("window")) as string;
  }

  async switchTo(handle: string): Promise<void> {
    await this.driver.command("switchWindow", { handle });
  }

  async closeWindow(): Promise<void> {
    await this.driver.command("closeWindow");
  }

  /** Waits until the frame shows a text; a frame of another origin is read from inside. */
  async frameShows(selector: string, text: string): Promise<void> {
    const read = () => this.#inFrame(selector, () => this.evaluate(readPage));
    await expect.poll(() => read().catch(() => ""), `the frame shows "${text}"`).toContain(text);
  }

  async pressInFrame(selector: string, name: string): Promise<void> {
    const { x, y } = await this.#inFrame(selector, () => this.#locate({ role: "button", name, exact: true }));
    // WebKit takes the positions of a pointer for those of the whole page.
    const [left = 0, top = 0] = await this.evaluate((wanted) => {
      const frame = document.querySelector(wanted);
      const box = frame?.getBoundingClientRect();
      return [(box?.left ?? 0) + (frame?.clientLeft ?? 0), (box?.top ?? 0) + (frame?.clientTop ?? 0)];
    }, selector);
    await this.#press({ x: left + x, y: top + y });
  }

  async #inFrame<R>(selector: string, run: () => Promise<R>): Promise<R> {
    const id = await this.driver.command("script", {
      script: "const [selector, done] = arguments; done(document.querySelector(selector))",
      args: [selector],
    });
    if (id === null) throw new Error(`No ${selector}`);
    await this.driver.command("frame", { id });
    try {
      return await run();
    } finally {
      await this.driver.command("frame", { id: null });
    }
  }

  async gone(wanted: Wanted): Promise<void> {
    await expect.poll(() => this.#peek(findSpot, wanted), `no ${wanted.role}`).toBeNull();
  }
}
