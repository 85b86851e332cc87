// What runs inside a page: each function stands alone, since its text is sent.

/** Finds elements by role and name as a user does; `within`: the name of the region or the dialog around them. */
export interface Wanted {
  role: string;
  name?: string;
  /** The whole name; otherwise a part of it. */
  exact?: boolean;
  within?: string;
}

export interface Spot {
  x: number;
  y: number;
  /** What a pointer would hit instead; null where it is the element. */
  hidden: string | null;
}

/** The point of a visible element where a pointer hits it, after scrolling it into view; null while there is no such element. */
export async function findSpot(wanted: Wanted): Promise<Spot | null> {
  const tools = (globalThis as unknown as { engineTools: EngineTools }).engineTools;
  const element = tools.find(wanted)[0];
  if (element === undefined) return null;
  if (tools.hit(element).hidden !== null) {
    element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    await new Promise(requestAnimationFrame);
  }
  return tools.hit(element);
}

export interface EngineTools {
  find(wanted: Wanted): HTMLElement[];
  name(element: Element): string;
  /** What a user sees of its text. */
  read(element: Element): string;
  isVisible(element: Element): boolean;
  hit(element: Element): Spot;
}

/** Puts `engineTools` into the page once. */
export function installTools(): void {
  const page = globalThis as unknown as { engineTools?: EngineTools };
  if (page.engineTools) return;
  const SELECTORS: Record<string, string> = {
    link: "a[href], [role=link]",
    button: "button:not([role]), summary, [role=button], input[type=submit]",
    textbox:
      "input:not([type]), input[type=text], input[type=search], input[type=url], input[type=email], input[type=password], textarea, [role=textbox]",
    combobox: "select, [role=combobox]",
    heading: "h1, h2, h3, h4, [role=heading]",
    row: "tr, [role=row]",
    radio: "input[type=radio], [role=radio]",
    checkbox: "input[type=checkbox], [role=checkbox]",
    region:
      "section[aria-label], section[aria-labelledby], [role=region], [role=dialog], [role=alertdialog], [role=group], article, dialog, form, li, nav",
    file: "input[type=file]",
    spinbutton: "input[type=number], [role=spinbutton]",
  };
  const clean = (text: string | null | undefined): string => (text ?? "").replace(/\s+/g, " ").trim();
  const textOf = (ids: string | null): string =>
    clean(
      (ids ?? "")
        .split(" ")
        .map((id) => document.getElementById(id)?.textContent ?? "")
        .join(" "),
    );
  // biome-ignore lint/performance/useDomNodeTextContent: hidden text is not read
  const read = (element: Element): string => (element as HTMLElement).innerText;
  const name = (element: Element): string => {
    const labels = "labels" in element ? [...((element as HTMLInputElement).labels ?? [])] : [];
    return (
      textOf(element.getAttribute("aria-labelledby")) ||
      clean(element.getAttribute("aria-label")) ||
      clean(labels.map((label) => label.textContent).join(" ")) ||
      clean(read(element)) ||
      clean(element.getAttribute("placeholder") ?? element.getAttribute("title"))
    );
  };
  const isVisible = (element: Element): boolean => {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && getComputedStyle(element).visibility === "visible" && element.checkVisibility();
  };
  const explain = (element: Element | null): string =>
    element === null ? "nothing" : `<${element.localName}> ${name(element).slice(0, 60)}`;
  /** An inline link in two lines has a box around both: its first line is hit. */
  const hit = (element: Element): Spot => {
    const box = element.getClientRects().length > 1 ? element.getClientRects()[0] : element.getBoundingClientRect();
    const { left = 0, top = 0, width = 0, height = 0 } = box ?? {};
    const x = left + width / 2;
    const y = top + height / 2;
    const found = document.elementFromPoint(x, y);
    const labels = "labels" in element ? [...((element as HTMLInputElement).labels ?? [])] : [];
    const isHit = found !== null && [element, ...labels].some((each) => each.contains(found));
    return { x, y, hidden: isHit ? null : explain(found) };
  };
  const find = ({ role, name: wanted = "", exact = false, within }: Wanted): HTMLElement[] => {
    const around = within === undefined ? [document.documentElement] : find({ role: "region", name: within });
    const matches = (text: string): boolean =>
      exact ? text === wanted : text.toLowerCase().includes(wanted.toLowerCase());
    const selector = SELECTORS[role] ?? `[role=${role}]`;
    return around
      .flatMap((part) => [...part.querySelectorAll<HTMLElement>(selector)])
      .filter((element) => (role === "file" || isVisible(element)) && matches(name(element)));
  };
  page.engineTools = { find, name, read, isVisible, hit };
}

/** Every visible control, and of those that a pointer does not hit at their centre what it hits. */
export async function findCoveredControls(): Promise<{ controls: number; covered: string[] }> {
  const { engineTools } = globalThis as unknown as { engineTools: EngineTools };
  const selector =
    "button, a[href], input, select, textarea, summary, [role=button], [role=link], [role=tab], [role=radio], [role=checkbox], [role=switch], [role=option], [role=menuitem], [role=combobox], [role=treeitem]";
  // The link that skips to the content is outside of the window until it has the focus.
  const isOff = (element: Element): boolean =>
    element.matches(':disabled, [href="#main"]') || element.closest("[inert], [aria-hidden=true]") !== null;
  /** The head of a table that is a list on a phone is there for screen readers. */
  const isClipped = (element: Element): boolean => {
    for (let around = element.parentElement; around !== null; around = around.parentElement) {
      const { width, height } = around.getBoundingClientRect();
      if (width <= 2 && height <= 2 && getComputedStyle(around).overflow !== "visible") return true;
    }
    return false;
  };
  const seen = [...document.querySelectorAll(selector)].filter((element) => {
    const { width, height } = element.getBoundingClientRect();
    // What is for screen readers alone is clipped to a pixel.
    return engineTools.isVisible(element) && width > 2 && height > 2 && !isOff(element) && !isClipped(element);
  });
  const covered: string[] = [];
  for (const element of seen) {
    let { hidden } = engineTools.hit(element);
    if (hidden !== null) {
      element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      ({ hidden } = engineTools.hit(element));
    }
    if (hidden !== null)
      covered.push(`<${element.localName}> ${engineTools.name(element).slice(0, 60)} is under ${hidden}`);
  }
  return { controls: seen.length, covered };
}

export function readPage(): string {
  const { engineTools } = globalThis as unknown as { engineTools: EngineTools };
  return engineTools.read(document.body).replace(/\s+/g, " ");
}
