import { expect, it } from "vitest";
import { ConnectionPace } from "./connection-pace";

it("ten connections begin at once, each further one 50 ms after the one before, and after a rest ten again", () => {
  const pace = new ConnectionPace();
  const take = (count: number, now: number) => Array.from({ length: count }, () => pace.take(now));
  const atOnce = Array.from({ length: 10 }, () => 0);
  expect(take(13, 1_000)).toEqual([...atOnce, 50, 100, 150]);
  expect(take(1, 1_100)).toEqual([100]);
  expect(take(11, 9_000)).toEqual([...atOnce, 50]);
});

it("ten connections of a start begin at once, the further ones 50 ms apart once its quiet time is over", () => {
  const pace = new ConnectionPace(3_000);
  const take = (count: number, now: number) => Array.from({ length: count }, () => pace.take(now));
  const atOnce = Array.from({ length: 10 }, () => 0);
  expect(take(13, 1_000)).toEqual([...atOnce, 2_000, 2_050, 2_100]);
  expect(take(1, 2_000)).toEqual([1_150]);
  expect(take(11, 9_000)).toEqual([...atOnce, 50]);
});
