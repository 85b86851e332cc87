import { expect, it } from "vitest";
import { RateLimiter } from "./rate-limiter";

it("a key may send its requests of a minute at once, then as many as come back; others are not affected", () => {
  const clock = { at: 0 };
  const limiter = new RateLimiter(60, () => clock.at);
  for (let sent = 0; sent < 60; sent += 1) expect(limiter.take("ada")).toBe(0);
  expect(limiter.take("ada")).toBe(1);
  expect(limiter.take("bob")).toBe(0);
  clock.at += 999;
  expect(limiter.take("ada")).toBe(1);
  clock.at += 1;
  expect([limiter.take("ada"), limiter.take("ada")]).toEqual([0, 1]);
  clock.at += 3_600_000;
  for (let sent = 0; sent < 60; sent += 1) expect(limiter.take("ada")).toBe(0);
  expect(limiter.take("ada")).toBe(1);
});

it("a clock that is set back takes nothing away", () => {
  const clock = { at: 60_000 };
  const limiter = new RateLimiter(10, () => clock.at);
  expect(limiter.take("ada")).toBe(0);
  clock.at = 0;
  expect(limiter.take("ada")).toBe(0);
});

it("invented keys fill the memory up to a limit only", () => {
  const limiter = new RateLimiter(10, () => 0);
  for (let key = 0; key < 30_000; key += 1) limiter.take(`key ${key}`);
  expect(limiter.size).toBe(20_000);
});
