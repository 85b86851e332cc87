import fc from "fast-check";
import { expect, it } from "vitest";
import { MinHeap } from "./min-heap";

it("a heap returns its items in the order of their ranks, also when some are added meanwhile", () => {
  const steps = fc.array(fc.option(fc.integer({ min: 0, max: 50 }), { freq: 3 }));
  fc.assert(
    fc.property(steps, (ranks) => {
      const heap = new MinHeap<number>((rank) => rank);
      const expected: number[] = [];
      for (const rank of ranks) {
        if (rank === null) {
          expected.sort((one, other) => one - other);
          expect(heap.peek()).toBe(expected[0]);
          expect(heap.pop()).toBe(expected.shift());
        } else {
          heap.push(rank);
          expected.push(rank);
        }
        expect(heap.size).toBe(expected.length);
      }
    }),
  );
});

it("an item that is added to or taken from 20,000 others is compared with few of them", () => {
  let reads = 0;
  const heap = new MinHeap<number>((rank) => {
    reads += 1;
    return rank;
  });
  for (let item = 0; item < 20_000; item += 1) heap.push((item * 7919) % 20_011);
  for (const work of [() => heap.push(-1), () => heap.pop(), () => heap.pop()]) {
    reads = 0;
    work();
    expect(reads).toBeLessThanOrEqual(5 * Math.ceil(Math.log2(20_000)));
  }
});
