/**
 * Chooses the cases of a walk that has more than each run needs: continuous integration takes all, another run one of
 * `every`, which follow from the seed in `TOOLROOM_TEST_SAMPLE` and from `name`. Returns whether the next case is one.
 */
export function createSample(every: number, name = ""): () => boolean {
  const seed = process.env.TOOLROOM_TEST_SAMPLE ?? "all";
  if (seed === "all") return () => true;
  let at = [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), Number(seed));
  return () => {
    at += 1;
    return at % every === 0;
  };
}
