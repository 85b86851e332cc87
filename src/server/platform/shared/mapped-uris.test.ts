import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isMappedForm, mapUri, unmapUri } from "./mapped-uris";

const uri = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.webUrl(),
  fc.string().map((rest) => `ui://${rest}`),
  fc.string().map((rest) => `toolroom://${rest}`),
  fc.string().map((rest) => `ui://toolroom/${rest}`),
);
const server = fc.string({ minLength: 1, unit: "grapheme" });

describe("a mapped URI", () => {
  it("gives back its server and the URI, whatever they are", () => {
    fc.assert(
      fc.property(server, uri, (name, own) => {
        expect(unmapUri(mapUri(name, own))).toEqual({ server: name, uri: own });
        expect(isMappedForm(mapUri(name, own))).toBe(true);
      }),
    );
  });

  it("is another one for another server or another URI", () => {
    fc.assert(
      fc.property(server, uri, server, uri, (one, ownUri, other, otherUri) => {
        fc.pre(one !== other || ownUri !== otherUri);
        expect(mapUri(one, ownUri)).not.toBe(mapUri(other, otherUri));
      }),
    );
  });

  it("is the only kind of URI that is taken apart", () => {
    fc.assert(fc.property(uri, (own) => isMappedForm(own) || unmapUri(own) === null));
    for (const damaged of [
      "toolroom://",
      "toolroom:///x",
      "toolroom://%zz/x",
      "toolroom://a%2fb/x",
      "ui://toolroom/a",
    ]) {
      expect(unmapUri(damaged)).toBeNull();
    }
  });
});
