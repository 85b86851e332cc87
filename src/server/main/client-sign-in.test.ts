import { expect, it } from "vitest";
import { decideClientDocument } from "./client-sign-in";

const decide = (publicUrl: string | null, clientDocument: "on" | "off" | null = null) =>
  decideClientDocument({ publicUrl, clientDocument });

it("Toolroom has a document for authorization servers where its public address is https, also under a path", () => {
  expect(decide("https://tools.example.org")).toEqual({
    url: "https://tools.example.org/oauth/client-metadata.json",
    redirectUrl: "https://tools.example.org/oauth/callback",
  });
  expect(decide("https://example.org/toolroom", "on")).toEqual({
    url: "https://example.org/toolroom/oauth/client-metadata.json",
    redirectUrl: "https://example.org/toolroom/oauth/callback",
  });
  expect([decide(null), decide("http://127.0.0.1:3000"), decide("https://tools.example.org", "off")]).toEqual([
    null,
    null,
    null,
  ]);
});

it("Toolroom does not start where a document is demanded that no authorization server could fetch", () => {
  for (const publicUrl of [null, "http://127.0.0.1:3000"]) {
    expect(() => decide(publicUrl, "on")).toThrow(/^TOOLROOM_CLIENT_DOCUMENT=on needs an https address/);
  }
});
