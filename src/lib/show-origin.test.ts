import { describe, expect, it } from "vitest";
import { showOrigin } from "./show-origin";

describe("showOrigin", () => {
  it.each([
    ["https://host.example:8443/planted/v1", "https://host.example:8443"],
    ["https://planted:planted@host.example/planted?key=planted#planted", "https://host.example"],
    ["http://planted:planted@:bad/planted", "http://:bad"],
  ])("shows %s as %s", (given, shown) => {
    expect(showOrigin(given)).toBe(shown);
  });
});
