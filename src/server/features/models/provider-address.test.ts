import { describe, expect, it } from "vitest";
import { publicAddress } from "./provider-address";

describe("publicAddress", () => {
  it.each([
    ["https://host.example/v1", "https://host.example/v1"],
    ["https://host.example", "https://host.example"],
    ["https://host.example/v1/?key=planted", "https://host.example/v1"],
    ["https://planted:planted@host.example/v1", "https://host.example/v1"],
    ["https://host.example/v1#planted", "https://host.example/v1"],
    ["host.example/v1?key=planted", "host.example/v1"],
    ["http://planted:planted@:bad/v1", "http://:bad/v1"],
  ])("shows %s as %s", (given, shown) => {
    expect(publicAddress(given)).toBe(shown);
  });
});
