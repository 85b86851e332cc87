/**
 * Buckets of a fixed logarithmic layout, so that histograms merge by adding counts: 80 for each power of ten, from 0.001 up.
 * The geometric middle of a bucket differs from each of its values by at most 1.45%.
 */
const PER_DECADE = 80;
const LEAST = 0.001;
const LARGEST = 1e15;
/** Keeps powers of ten in the bucket that they close, despite the logarithm's rounding. */
const ROUNDING = 1e-9;

/** The bucket of a value: 0 for values up to 0, 1 for values up to 0.001. */
export function toBucket(value: number): number {
  if (!(value > 0)) return 0;
  const place = Math.ceil(Math.log10(Math.min(value, LARGEST) / LEAST) * PER_DECADE - ROUNDING);
  return Math.max(0, place) + 1;
}

const values: number[] = [];

/** The value that represents a bucket, to six digits. */
export function fromBucket(bucket: number): number {
  if (bucket <= 0) return 0;
  if (bucket === 1) return LEAST;
  values[bucket] ??= Number((LEAST * 10 ** ((bucket - 1.5) / PER_DECADE)).toPrecision(6));
  return values[bucket];
}

/** The largest value of a bucket. */
export const upperBound = (bucket: number): number => (bucket <= 0 ? 0 : LEAST * 10 ** ((bucket - 1) / PER_DECADE));

const FIRST_CODE = 35;
const DIGIT_BITS = 5;
const MORE = 32;

/** Adds what `encode` gave to counts by bucket. @returns how many there are */
function decode(text: string, counts: Int32Array): number {
  let bucket = 0;
  let total = 0;
  for (let at = 0; at < text.length; ) {
    let gap = 0;
    let count = 0;
    let shift = 0;
    let code = 0;
    do {
      code = text.charCodeAt(at++) - FIRST_CODE;
      gap |= (code & (MORE - 1)) << shift;
      shift += DIGIT_BITS;
    } while (code & MORE && at < text.length);
    shift = 0;
    do {
      code = text.charCodeAt(at++) - FIRST_CODE;
      count |= (code & (MORE - 1)) << shift;
      shift += DIGIT_BITS;
    } while (code & MORE && at < text.length);
    bucket += gap;
    counts[bucket] = (counts[bucket] ?? 0) + count;
    total += count;
  }
  return total;
}

const BUCKETS = toBucket(LARGEST) + 1;
/** Texts that a histogram holds as they are: of a day by minute, most points have one or two. */
const FEW_TEXTS = 4;
const shared = new Int32Array(BUCKETS);

/** Counts by bucket. */
export class Histogram {
  #texts: string[] = [];
  #counts: Int32Array | null = null;
  #total = 0;

  add(bucket: number, count: number): void {
    const counts = this.#unpack();
    counts[bucket] = (counts[bucket] ?? 0) + count;
    this.#total += count;
  }

  /** Adds a text that `encode` returned. */
  addText(text: string): void {
    if (text === "") return;
    if (this.#counts === null && this.#texts.length < FEW_TEXTS) {
      this.#texts.push(text);
      return;
    }
    const counts = this.#unpack();
    this.#total += decode(text, counts);
  }

  get total(): number {
    this.#unpack();
    return this.#total;
  }

  forEach(visit: (bucket: number, count: number) => void): void {
    const counts = this.#unpack();
    for (let bucket = 0; bucket < counts.length; bucket += 1) {
      const count = counts[bucket] ?? 0;
      if (count !== 0) visit(bucket, count);
    }
  }

  /** The nearest-rank percentiles of ascending shares, 0 < share ≤ 1; null for none. */
  percentiles<const Shares extends readonly number[]>(shares: Shares): { [At in keyof Shares]: number | null } {
    const counts = this.#counts ?? shared;
    let total = this.#total;
    for (const text of this.#texts) total += decode(text, counts);
    let bucket = -1;
    let passed = 0;
    const found = shares.map((share) => {
      if (total <= 0) return null;
      const rank = Math.max(1, Math.ceil(total * share));
      while (passed < rank) passed += counts[++bucket] ?? rank;
      return bucket < BUCKETS ? fromBucket(bucket) : null;
    });
    if (this.#texts.length > 0) shared.fill(0);
    return found as { [At in keyof Shares]: number | null };
  }

  #unpack(): Int32Array {
    if (this.#counts !== null) return this.#counts;
    const counts = new Int32Array(BUCKETS);
    for (const text of this.#texts) this.#total += decode(text, counts);
    this.#texts = [];
    this.#counts = counts;
    return counts;
  }

  /** Pairs of the distance to the bucket before and the count, as numbers of 5 bits a character. */
  encode(): string {
    let text = "";
    let last = 0;
    this.forEach((bucket, count) => {
      if (count < 0) return;
      text += encodeNumber(bucket - last) + encodeNumber(count);
      last = bucket;
    });
    return text;
  }
}

/** Changes of counts by bucket: few, and possibly negative. */
export type BucketChanges = Map<number, number>;

export const changeBucket = (changes: BucketChanges, value: number, by: number): void => {
  const bucket = toBucket(value);
  changes.set(bucket, (changes.get(bucket) ?? 0) + by);
};

/** Returns the encoded histogram with the changes. */
export function changeHistogram(text: string, changes: BucketChanges): string {
  if (changes.size === 0) return text;
  if (text === "") return encodeCounts(changes);
  const histogram = new Histogram();
  histogram.addText(text);
  for (const [bucket, count] of changes) histogram.add(bucket, count);
  return histogram.encode();
}

/** Encodes these counts as `encode` of a histogram does: most rows have a few buckets of more than a thousand. */
function encodeCounts(counts: BucketChanges): string {
  let text = "";
  let last = 0;
  for (const [bucket, count] of counts.size === 1 ? counts : [...counts].sort(compareBuckets)) {
    if (count <= 0) continue;
    text += encodeNumber(bucket - last) + encodeNumber(count);
    last = bucket;
  }
  return text;
}

const compareBuckets = ([left]: readonly [number, number], [right]: readonly [number, number]): number => left - right;

function encodeNumber(value: number): string {
  let text = "";
  let rest = value;
  do {
    const digit = rest & (MORE - 1);
    rest >>>= DIGIT_BITS;
    text += String.fromCharCode(FIRST_CODE + (rest > 0 ? digit | MORE : digit));
  } while (rest > 0);
  return text;
}
