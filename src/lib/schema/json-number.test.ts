import fc from "fast-check";
import { expect, it } from "vitest";
import { lossyNumber, readNumber } from "./json-number";

it("VAL-02 reads only what JSON calls a number", () => {
  expect(["1", "-0.5", "1e3", "1.0"].map(readNumber)).toEqual([1, -0.5, 1000, 1]);
  for (const text of ["", "1.", ".5", "+1", "-", "007", " 1", "1 ", "0x10", "NaN", "Infinity", "1e400", "1_000"]) {
    expect(readNumber(text), text).toBeNull();
  }
});

it("names what becomes of numbers that JavaScript cannot hold", () => {
  expect(lossyNumber("12345678901234567890")).toBe("12345678901234567000");
  expect(lossyNumber("1e400")).toBe("null");
  expect(lossyNumber("-1e400")).toBe("null");
  expect(lossyNumber("1e-400")).toBe("0");
  expect(lossyNumber("0.1000000000000000055511151231257827")).toBe("0.1");
  expect(lossyNumber("9007199254740993")).toBe("9007199254740992");
});

it("is silent about numbers that only are written differently", () => {
  for (const text of ["1.0", "100", "1e2", "0.10", "-0", "1E+2", "9007199254740991", "1.5e-7", "123e20"]) {
    expect(lossyNumber(text), text).toBeNull();
  }
});

it("finds no loss in what JavaScript itself writes", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(lossyNumber(JSON.stringify(number))).toBeNull();
    }),
  );
});
