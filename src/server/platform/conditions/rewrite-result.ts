import { isJsonText } from "../../../lib/json/is-json-text";
import { findStringEnd, findValueEnd, skipSpace } from "../../../lib/json/json-text";
import { type ResultStep, readResultPath } from "../../../lib/rules/result-path";
import type { RedactionInput, ResultSearch } from "../../engine/rules/rule-ports";
import { type FoundText, replaceFound } from "./find-preset";
import { RepeatedValues } from "./repeated-values";
import { assertTime, compileSearch, type TextSearch } from "./text-search";

/** The shortest number that is of a kind of text. */
const MIN_CARD_CHARS = 13;
/** The number of values between two checks of the clock. */
const VALUES_BETWEEN_CHECKS = 500;

export interface ResultRewriter {
  /** An estimate, in nanoseconds a character. */
  readonly cost: number;
  /** @throws SearchTimeout */
  rewrite(input: RedactionInput, deadline: number): { text: string; count: number };
  /** @throws SearchTimeout */
  rewriteText(text: string, marker: string, deadline: number): { text: string; count: number };
}

type Path = readonly ResultStep[];

/** A scan costs about as much as parsing. */
const SCAN_NS = 20;

export function compileRewriter({ paths, presets, patterns }: ResultSearch): ResultRewriter {
  const search = compileSearch(presets, patterns);
  const steps = paths.flatMap((path) => {
    const read = readResultPath(path);
    return read === null ? [] : [read];
  });
  return {
    // A result with paths is read twice.
    cost: search.cost + (steps.length > 0 ? 3 : 1) * SCAN_NS,
    rewrite(input, deadline) {
      const left = search.narrow(input.text);
      if (left === null && steps.length === 0) return { text: input.text, count: 0 };
      const job = { ...input, paths: steps, search: left, deadline };
      const repeated = new RepeatedValues();
      if (steps.length > 0) new Rewrite({ ...job, search: null }, { repeated, collects: true }).run();
      const rewrite = new Rewrite(job, { repeated, collects: false });
      return { text: rewrite.run(), count: rewrite.count };
    },
    rewriteText(text, marker, deadline) {
      const found = search.find(text, deadline);
      return { text: replaceFound(text, found, marker), count: found.length };
    },
  };
}

interface RewriteJob extends RedactionInput {
  paths: readonly Path[];
  /** The texts to find; null where only the values at paths are removed. */
  search: TextSearch | null;
  deadline: number;
  /** The text stands within a text of another result, and may repeat what a path takes from its data. */
  isWithin?: boolean;
}

/** The zone of a value: the structured data of a result, a text block, media, or another one. */
type Zone = "data" | "text" | "media" | "name" | "other";

/** A path, and the number of its steps that lead here. */
interface Place {
  path: Path;
  step: number;
}

interface Frame {
  isArray: boolean;
  /** Position of the next item. */
  index: number;
  zone: Zone;
  places: readonly Place[];
  /** Whether a path ends at this value or above it. */
  isTaken: boolean;
  /** Names of members that lead here, of the first levels. */
  trail: readonly string[];
}

const NO_PLACES: readonly Place[] = [];
const NOWHERE = { zone: "other", trail: ["", "", "", ""] } as const;
const OPENERS: Readonly<Record<string, boolean>> = { "{": false, "[": true };

/**
 * Rewrites the JSON text of a result: strings and numbers that are found, or to which a path leads. All other bytes stay, so that
 * numbers keep their digits. It does not recurse, except into a text that is JSON itself.
 */
class Rewrite {
  count = 0;
  readonly #job: RewriteJob;
  readonly #repeated: RepeatedValues;
  readonly #collects: boolean;
  readonly #parts: string[] = [];
  #written = 0;
  #values = 0;

  constructor(job: RewriteJob, { repeated, collects }: { repeated: RepeatedValues; collects: boolean }) {
    this.#job = job;
    this.#repeated = repeated;
    this.#collects = collects;
  }

  run(): string {
    const { fromServer, paths } = this.#job;
    const places = paths.map((path) => ({ path, step: 0 }));
    this.#walk(
      fromServer
        ? { zone: "other", places: NO_PLACES, trail: [] }
        : { zone: isStringText(this.#job.text) ? "text" : "data", places, trail: [] },
    );
    this.#parts.push(this.#job.text.slice(this.#written));
    return this.#parts.join("");
  }

  #walk(root: Pick<Frame, "zone" | "places" | "trail">): void {
    const { text } = this.#job;
    const frames: Frame[] = [];
    let at = this.#enter(frames, skipSpace(text, 0), { ...root, isTaken: isAtEnd(root.places) });
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      at = skipSpace(text, at);
      if (text[at] === ",") at = skipSpace(text, at + 1);
      if (text[at] === (frame.isArray ? "]" : "}")) {
        frames.pop();
        at += 1;
      } else if (frame.isArray) {
        const index = frame.index;
        frame.index += 1;
        at = this.#enter(frames, at, this.#descend(frame, index));
      } else {
        const keyEnd = findStringEnd(text, at);
        const key = JSON.parse(text.slice(at, keyEnd)) as string;
        this.#rewriteName(at, keyEnd, key, frame);
        at = this.#enter(frames, skipSpace(text, skipSpace(text, keyEnd) + 1), this.#descend(frame, key));
      }
    }
  }

  /** Opens a container, or rewrites a scalar. @returns where to continue */
  #enter(frames: Frame[], at: number, frame: Pick<Frame, "zone" | "places" | "isTaken" | "trail">): number {
    this.#keepTime();
    const { text } = this.#job;
    const isArray = OPENERS[text[at] ?? ""];
    if (isArray !== undefined) {
      // Media and names of types are texts: anything else in their place is searched.
      const isOdd = frame.zone === "media" || frame.zone === "name";
      frames.push({ ...frame, ...(isOdd && NOWHERE), isArray, index: 0 });
      return at + 1;
    }
    const end = findValueEnd(text, at);
    this.#rewriteScalar(at, end, frame);
    return end;
  }

  #descend(frame: Frame, key: string | number): Pick<Frame, "zone" | "places" | "isTaken" | "trail"> {
    const trail = frame.trail.length < 4 ? frame.trail.concat(typeof key === "number" ? "*" : key) : frame.trail;
    const zone = frame.zone === "other" ? this.#findZone(trail) : frame.zone;
    const isDataRoot = zone === "data" && frame.zone !== "data";
    const places = isDataRoot
      ? this.#job.paths.map((path) => ({ path, step: 0 }))
      : frame.places.length === 0
        ? NO_PLACES
        : frame.places.flatMap((place) => advance(place, key));
    return { zone, places, isTaken: frame.isTaken || isAtEnd(places), trail };
  }

  /** Finds the zone of a value in the result of an MCP server: text for models, data, or what cannot be searched. */
  #findZone(trail: readonly string[]): Zone {
    const path = trail.join(".");
    if (path === "structuredContent") return "data";
    if (path === "content.*.text" || path === "content.*.resource.text" || path === "contents.*.text") return "text";
    if (path === "messages.*.content.text") return "text";
    if (/^(?:(?:content\.\*|messages\.\*\.content)\.data|(?:content\.\*\.resource|contents\.\*)\.blob)$/.test(path))
      return "media";
    if (/^(?:contents?\.\*|messages\.\*)(?:\.(?:resource|content))?\.(?:type|mimeType|role)$/.test(path)) return "name";
    return "other";
  }

  #rewriteName(start: number, end: number, name: string, { zone }: Frame): void {
    const { search, deadline, marker } = this.#job;
    if (search === null || zone === "other" || search.cost === 0) return;
    const found = search.find(name, deadline);
    if (found.length > 0) this.#replace(start, end, JSON.stringify(replaceFound(name, found, marker)), found.length);
  }

  #rewriteScalar(start: number, end: number, { zone, isTaken }: Pick<Frame, "zone" | "isTaken">): void {
    if (zone === "media" || zone === "name") return;
    const { text, marker, keepTypes, fromServer } = this.#job;
    const isString = text[start] === '"';
    if (isTaken) {
      const raw = text.slice(start, end);
      if (raw === "null") return;
      this.#noteRepeated(isString ? (JSON.parse(raw) as string) : raw);
      if (isString || !(keepTypes && fromServer)) this.#replace(start, end, JSON.stringify(marker), 1);
      else this.#replace(start, end, raw === "true" || raw === "false" ? "false" : "0", 1);
      return;
    }
    if (isString) this.#rewriteString(start, end, zone);
    else if (text[start] === "-" || (text[start] ?? "") <= "9") this.#rewriteNumber(start, end);
  }

  #rewriteString(start: number, end: number, zone: Zone): void {
    const { text, marker } = this.#job;
    const raw = text.slice(start, end);
    const value = raw.includes("\\") ? (JSON.parse(raw) as string) : raw.slice(1, -1);
    const inner = zone === "text" ? this.#rewriteInner(value) : { text: value, count: 0 };
    if (this.#collects) return;
    const found = this.#find(inner.text);
    let rewritten = replaceFound(inner.text, found, marker);
    let count = inner.count + found.length;
    if (zone !== "data" || this.#job.isWithin === true) {
      const repeated = this.#repeated.replaceIn(rewritten, marker, this.#job.deadline);
      rewritten = repeated.text;
      count += repeated.count;
    }
    if (count > 0) this.#replace(start, end, JSON.stringify(rewritten), count);
  }

  /** A text that is JSON has the same data as structured content, so that paths lead into it. */
  #rewriteInner(value: string): { text: string; count: number } {
    const first = value.trimStart()[0] ?? "";
    const isPlain = OPENERS[first] === undefined || (this.#job.paths.length === 0 && !value.includes("\\"));
    if (isPlain || !isJsonText(value)) return { text: value, count: 0 };
    const job = { ...this.#job, text: value, fromServer: false, keepTypes: false, isWithin: true };
    const inner = new Rewrite(job, { repeated: this.#repeated, collects: this.#collects });
    return { text: inner.run(), count: inner.count };
  }

  #find(value: string): readonly FoundText[] {
    const { search, deadline } = this.#job;
    return search === null || search.cost === 0 ? [] : search.find(value, deadline);
  }

  #rewriteNumber(start: number, end: number): void {
    const { text, marker, keepTypes, fromServer } = this.#job;
    const raw = text.slice(start, end);
    const isRepeated = this.#job.isWithin === true && !this.#collects && this.#repeated.has(raw);
    const isShort = raw.length < MIN_CARD_CHARS && this.#job.search?.hasPatterns !== true;
    if (!isRepeated && (isShort || this.#find(raw).length === 0)) return;
    this.#replace(start, end, keepTypes && fromServer ? "0" : JSON.stringify(marker), 1);
  }

  #noteRepeated(value: string): void {
    if (this.#collects) this.#repeated.add(value);
  }

  #replace(start: number, end: number, replacement: string, count: number): void {
    this.count += count;
    if (this.#collects) return;
    this.#parts.push(this.#job.text.slice(this.#written, start), replacement);
    this.#written = end;
  }

  #keepTime(): void {
    this.#values += 1;
    if (this.#values % VALUES_BETWEEN_CHECKS === 0) assertTime(this.#job.deadline);
  }
}

const isStringText = (text: string): boolean => text[skipSpace(text, 0)] === '"';

const isAtEnd = (places: readonly Place[]): boolean => places.some(({ path, step }) => step === path.length);

function advance({ path, step }: Place, key: string | number): Place[] {
  const next = path[step];
  if (next === undefined) return [];
  const fits = next === "any" || ("key" in next ? next.key === key : typeof key === "number" && next.index === key);
  return fits ? [{ path, step: step + 1 }] : [];
}
