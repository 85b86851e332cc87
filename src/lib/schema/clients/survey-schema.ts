import { isPlainObject, type JsonSchema } from "../../contract/json";
import { childPointer } from "../../json/json-pointer";
import { getHolding, listTypes } from "../keywords";
import { StepBudget } from "../step-budget";

/** Schemas and names looked at. A tool with more is beyond what clients and model APIs take. */
const MAX_STEPS = 20_000;
const MAX_KEYWORDS = 200;
const MAX_NAMES = 5_000;
const MAX_ARRAYS = 20;

export interface SurveyedName {
  name: string;
  pointer: string;
  /** True for a property of the root. */
  isTop: boolean;
}

/** The facts of a schema that the rules of clients read. Pointers begin at the schema. */
export interface SchemaSurvey {
  rootKeywords: ReadonlySet<string>;
  /** The first place of each keyword. */
  keywords: ReadonlyMap<string, string>;
  names: readonly SurveyedName[];
  /** Arrays that do not say what their items are. */
  openArrays: readonly string[];
  /** The budget ended before the schema did. */
  isPartial: boolean;
}

/** A schema of the walk, which knows its pointer by its parent: only the pointers that are reported are written. */
interface Place {
  node: unknown;
  parent: Place | null;
  token: string;
}

const known = new WeakMap<JsonSchema, SchemaSurvey>();

/** Looks through a schema once for all clients. */
export function surveySchema(schema: JsonSchema): SchemaSurvey {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const survey = new Surveyor(schema).survey();
  known.set(schema, survey);
  return survey;
}

class Surveyor {
  readonly #budget = new StepBudget(MAX_STEPS);
  readonly #pending: Place[];
  readonly #keywords = new Map<string, string>();
  readonly #names: SurveyedName[] = [];
  readonly #openArrays: string[] = [];

  constructor(private readonly root: JsonSchema) {
    this.#pending = [{ node: root, parent: null, token: "" }];
  }

  survey(): SchemaSurvey {
    for (let at = 0; at < this.#pending.length && this.#budget.spend(); at += 1) this.#look(this.#pending[at] as Place);
    return {
      rootKeywords: new Set(Object.keys(this.root)),
      keywords: this.#keywords,
      names: this.#names,
      openArrays: this.#openArrays,
      isPartial: this.#budget.isSpent,
    };
  }

  #look(place: Place): void {
    const { node } = place;
    if (!isPlainObject(node)) return;
    for (const [keyword, value] of Object.entries(node)) {
      if (!this.#budget.spend()) return;
      if (!this.#keywords.has(keyword) && this.#keywords.size < MAX_KEYWORDS) {
        this.#keywords.set(keyword, childPointer(toPointer(place), keyword));
      }
      this.#queue(place, keyword, value);
    }
    if (isOpenArray(node) && this.#openArrays.length < MAX_ARRAYS) this.#openArrays.push(toPointer(place));
  }

  #queue(place: Place, keyword: string, value: unknown): void {
    const holding = getHolding(keyword, value);
    if (holding === null) return;
    const holder: Place = { node: value, parent: place, token: keyword };
    if (holding === "schema") this.#pending.push(holder);
    else {
      for (const [token, node] of Object.entries(value as object)) {
        if (!this.#budget.spend()) return;
        const inner: Place = { node, parent: holder, token };
        if (keyword === "properties") this.#nameProperty(inner, place.parent === null);
        this.#pending.push(inner);
      }
    }
  }

  #nameProperty(place: Place, isTop: boolean): void {
    if (this.#names.length >= MAX_NAMES) return;
    this.#names.push({ name: place.token, pointer: toPointer(place), isTop });
  }
}

/** Deeper pointers are cut, since users read them. */
const MAX_TOKENS = 40;

function toPointer(place: Place): string {
  const tokens: string[] = [];
  for (let at: Place | null = place; at?.parent != null && tokens.length < MAX_TOKENS; at = at.parent) {
    tokens.unshift(at.token);
  }
  return tokens.reduce((pointer, token) => childPointer(pointer, token), "");
}

function isOpenArray(node: JsonSchema): boolean {
  return listTypes(node).includes("array") && !isPlainObject(node.items);
}
