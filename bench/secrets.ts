/** `npm run bench:secrets`: processor time of the search for known secrets in 1 MB of text, whatever the secrets are (at most 50 ms). */
import { SecretMatcher } from "../src/lib/secret-matcher";

const MAX_MS = 50;
const ROUNDS = 5;
const TEXT_CHARS = 1_000_000;
const KEY_CHARS = 65_536;

interface Case {
  name: string;
  keys: readonly string[];
  text: string;
}

const fill = (part: string, chars: number): string => part.repeat(Math.ceil(chars / part.length)).slice(0, chars);
const WORDS = "The quick brown fox jumps over the lazy dog, then it reads a page of plain text. ";
const PREFIXES = Array.from({ length: 2000 }, (_, index) => "a".repeat(2000 - index + 6));
const numberKeys = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `sk-project-${String(index).padStart(8, "0")}-0123456789abcdef`);

const CASES: readonly Case[] = [
  { name: "no key in words", keys: numberKeys(1), text: fill(WORDS, TEXT_CHARS) },
  { name: "1,000 keys in words", keys: numberKeys(1000), text: fill(WORDS, TEXT_CHARS) },
  { name: "1,000 keys, text of their beginning", keys: numberKeys(1000), text: fill("sk-project-", TEXT_CHARS) },
  {
    name: "1,000 keys, each again and again",
    keys: numberKeys(1000),
    text: fill(numberKeys(1000).join(" "), TEXT_CHARS),
  },
  { name: "2,000 keys, prefixes of each other", keys: PREFIXES, text: fill("a", TEXT_CHARS) },
  { name: "64 kB of one letter", keys: ["a".repeat(KEY_CHARS)], text: fill("a", TEXT_CHARS) },
  { name: "64 kB of one letter, then another", keys: [`${"a".repeat(KEY_CHARS)}b`], text: fill("a", TEXT_CHARS) },
  { name: "64 kB of period 2, then another", keys: [`${fill("ab", KEY_CHARS)}c`], text: fill("ab", TEXT_CHARS) },
  {
    name: "64 kB of period 1,000, then another",
    keys: [`${fill(`${"a".repeat(999)}b`, KEY_CHARS)}c`],
    text: fill(`${"a".repeat(999)}b`, TEXT_CHARS),
  },
  { name: "64 kB of words, in words", keys: [`${fill(WORDS, KEY_CHARS)}!`], text: fill(WORDS, TEXT_CHARS) },
];

function measure(work: () => void): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

console.log(`1 MB of text, least of ${ROUNDS}; at most ${MAX_MS} ms\n`);
console.log(
  "| keys | first search, ms | search, ms | steps per character | memory, MB | within the limit |\n| :-- | --: | --: | --: | --: | :-- |",
);
for (const { name, keys, text } of CASES) {
  const replacements = new Map(keys.map((key) => [key, "[redacted]"]));
  const first = measure(() => void new SecretMatcher(replacements).find(text));
  const matcher = new SecretMatcher(replacements);
  globalThis.gc?.();
  const before = process.memoryUsage();
  const work = { steps: 0 };
  matcher.find(text, work);
  const after = process.memoryUsage();
  const memory = (after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers) / 1_048_576;
  const again = measure(() => void matcher.find(text));
  const figures = [first, again, work.steps / text.length, memory].map((figure) => figure.toFixed(1));
  console.log(`| ${name} | ${figures.join(" | ")} | ${first <= MAX_MS ? "yes" : "NO"} |`);
}
