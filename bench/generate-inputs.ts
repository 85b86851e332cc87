/** JSON texts of every kind that is costly for some program: size, depth, keys, repetition and periods vary at random. */
import { createRandom } from "./hostile-schemas";

export interface GeneratedInput {
  /** How it was made, so that it can be made again. */
  name: string;
  text: string;
}

interface Shape {
  random: () => number;
  /** About as long as the text becomes. */
  chars: number;
}

type Maker = (shape: Shape) => string;

const MIN_CHARS = 1_000;
const NEARLY_A_MILLION = 990_000;

const repeat = (part: string, chars: number): string =>
  part.repeat(Math.max(1, Math.ceil(chars / part.length))).slice(0, Math.max(1, chars));

const count = (random: () => number, most: number): number => 1 + Math.floor(random() * most);

const list = (length: number, make: (index: number) => string): string =>
  `[${Array.from({ length: Math.max(1, Math.floor(length)) }, (_, index) => make(index)).join()}]`;

const object = (length: number, make: (index: number) => string, prefix = "key "): string =>
  `{${Array.from({ length: Math.max(1, Math.floor(length)) }, (_, index) => `"${prefix}${index}":${make(index)}`).join()}}`;

function makeTree({ random, chars }: Shape, depth = 0): string {
  const width = 1 + Math.floor(random() * 40);
  if (chars < 40 || depth > 30)
    return random() < 0.5 ? String(Math.floor(random() * 1e9)) : `"text ${Math.floor(random() * 1e6)}"`;
  const inner = () => makeTree({ random, chars: chars / width }, depth + 1);
  return random() < 0.5 ? list(width, inner) : object(width, inner, `k${depth} `);
}

function nest(levels: number, open: string, close: string): string {
  return `${open.repeat(levels)}1${close.repeat(levels)}`;
}

const MAKERS: Record<string, Maker> = {
  "one object of many keys": ({ chars }) => object(chars / 18, String),
  "one object of long keys": ({ random, chars }) => {
    const length = 100 + Math.floor(random() * 10_000);
    return object(chars / length, String, "k".repeat(length));
  },
  "many objects of few keys": ({ random, chars }) => {
    const keys = count(random, 20);
    return list(chars / (keys * 16), (row) => object(keys, (key) => String(row * key)));
  },
  "empty lists": ({ chars }) => list(chars / 3, () => "[]"),
  "empty objects": ({ chars }) => list(chars / 3, () => "{}"),
  "nested lists": ({ chars }) => nest(Math.floor(chars / 2), "[", "]"),
  "nested objects": ({ chars }) => nest(Math.floor(chars / 6), '{"a":', "}"),
  "lists nested a few hundred levels": ({ random, chars }) => {
    const levels = 1 + Math.floor(random() * 900);
    return list(chars / (levels * 2), () => nest(levels, "[", "]"));
  },
  "one text": ({ chars }) => `"${repeat("Some words of a long text. ", chars)}"`,
  "one periodic text": ({ random, chars }) => `"${repeat(`${"a".repeat(count(random, 1000))}b`, chars)}"`,
  "one text of escapes": ({ chars }) => `"${repeat('\\\\\\"', chars - (chars % 4))}"`,
  "one text of line breaks": ({ chars }) => `"${repeat("\\n", chars - (chars % 2))}"`,
  "one text beyond Latin": ({ chars }) => `"${repeat("漢字と😀", chars - (chars % 5))}"`,
  "many short texts": ({ chars }) => list(chars / 8, (index) => `"${index % 1000}"`),
  "the same text": ({ chars }) => list(chars / 30, () => '"the same text again and again"'),
  numbers: ({ chars }) => list(chars / 8, String),
  "one number of many digits": ({ chars }) => repeat("1234567890", chars),
  spaces: ({ chars }) => `[${" ".repeat(chars)}1]`,
  "a tree": (shape) => makeTree(shape),
  "values of many types": ({ chars }) =>
    list(
      chars / 60,
      (index) => `{"i":${index},"ok":${index % 2 === 0},"none":null,"text":"row ${index}","list":[1,2]}`,
    ),
  // As many as `MAX_CONTAINERS` admits, beside the members that a call puts around them.
  "lists within the limit": ({ chars }) => list(Math.min(chars / 3, NEARLY_A_MILLION), () => "[]"),
  "objects within the limit": ({ chars }) => list(Math.min(chars / 8, NEARLY_A_MILLION), (index) => `{"a":${index}}`),
  "deep lists within the limit": ({ random, chars }) => {
    const levels = 100 + Math.floor(random() * 800);
    return list(Math.min(chars / 2, NEARLY_A_MILLION) / levels, () => nest(levels, "[", "]"));
  },
  "pairs of fractions": ({ chars }) =>
    list(chars / 20, (index) => `[${((index * 1.37) % 180).toFixed(5)},${((index * 0.73) % 90).toFixed(5)}]`),
  "numbers beyond a double": ({ chars }) => list(chars / 20, (index) => `9007199254740993${index % 1000}`),
  "members that stand twice": ({ chars }) => list(chars / 28, (index) => `{"a":1.50,"b":${index},"a":2.50}`),
};

/** @param maxChars sizes are spread evenly over their magnitude, up to this one, which every kind has once */
export function generateInputs(seed: number, rounds: number, maxChars: number): GeneratedInput[] {
  const random = createRandom(seed);
  const inputs: GeneratedInput[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, make] of Object.entries(MAKERS)) {
      const exponent = round === 0 ? 1 : random();
      const chars = Math.floor(MIN_CHARS * (maxChars / MIN_CHARS) ** exponent);
      const text = make({ random, chars: Math.floor(chars * 0.95) });
      inputs.push({ name: `${name}, ${text.length.toLocaleString("en-US")} characters`, text });
    }
  }
  return inputs;
}
