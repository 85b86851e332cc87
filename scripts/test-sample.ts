import { readSampleSeed } from "./sample-seed.mjs";

/** Chooses what `createSample` takes of the long walks in this run: all in continuous integration. */
export default function chooseSample(): void {
  process.env.TOOLROOM_TEST_SAMPLE ??= process.env.CI ? "all" : readSampleSeed();
  const sample = process.env.TOOLROOM_TEST_SAMPLE;
  if (sample === "all") return;
  if (!/^\d{1,15}$/.test(sample)) throw new Error(`TOOLROOM_TEST_SAMPLE is '${sample}': use a number or all.`);
  console.log(`Long walks take a sample: TOOLROOM_TEST_SAMPLE=${sample} takes the same, TOOLROOM_TEST_SAMPLE=all all.`);
}
