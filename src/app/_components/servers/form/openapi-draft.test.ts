import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { serverSettingsSchema } from "@/lib/contract/server";
import { compressDocument } from "./compress-document";
import { withFreshKeys, withoutSecrets } from "./kept-server-draft";
import { toChecked, toggleTag } from "./openapi-draft";
import { draftFrom, emptyDraft, settingsOf } from "./server-draft";

const SETTINGS = serverSettingsSchema.parse({
  ...{ name: "shop", transport: "openapi", url: "https://api.example.com" },
  document: { from: "text", text: null },
  query: [{ name: "key", value: null }],
  auth: { type: "client_credentials", clientId: "me", clientSecret: null, tokenUrl: "https://id.example.com/token" },
  operations: { tags: ["pets"], paths: ["GET /orders/*"] },
  outputSchemas: false,
});

describe("the form of an OpenAPI server", () => {
  it("sends what it was opened with, and keeps the stored document until another one is pasted", () => {
    const draft = draftFrom(SETTINGS);
    expect(serverSettingsSchema.parse(settingsOf(draft))).toEqual(SETTINGS);
    expect(settingsOf({ ...draft, documentText: "new" })).toMatchObject({ document: { from: "text", text: "new" } });
    expect(settingsOf({ ...emptyDraft(), transport: "openapi", documentFrom: "text" })).toMatchObject({
      document: { text: "" },
    });
  });

  it("has no authentication that an API cannot have, and selects nothing for empty lines", () => {
    const draft = { ...emptyDraft(), transport: "openapi" as const, authType: "oauth" as const, operationTags: "\n " };
    expect(settingsOf(draft)).toMatchObject({ auth: { type: "none" }, operations: undefined });
    expect(toggleTag(toggleTag("a", "b"), "a")).toBe("b");
  });

  it("is kept in the tab without secrets and without a long document", () => {
    const draft = draftFrom({ ...SETTINGS, query: [{ name: "key", value: "secret" }] } as typeof SETTINGS);
    const kept = withFreshKeys(withoutSecrets({ ...draft, documentText: "x".repeat(300_000) }));
    expect(JSON.stringify(kept)).not.toMatch(/secret"|xxx/);
    expect(kept.query[0]?.name).toBe("key");
  });

  it("sends a long document compressed, and only the beginning of one to the check", async () => {
    const text = `openapi: 3.1.0\n${"# comment\n".repeat(20_000)}`;
    const sent = await compressDocument(text);
    expect(sent.length).toBeLessThan(10_000);
    expect(gunzipSync(Buffer.from(sent.split(",")[1] ?? "", "base64")).toString()).toBe(text);
    expect(await compressDocument("short")).toBe("short");
    const checked = toChecked(settingsOf({ ...draftFrom(SETTINGS), documentText: text }));
    expect(JSON.stringify(checked).length).toBeLessThan(3000);
  });
});
