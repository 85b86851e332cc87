import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { draftOptions, readInput, writeInput } from "@/app/_kit/form/draft-input";
import { serverSettingsSchema } from "@/lib/contract/server";
import { compressDocument, toChecked } from "./openapi-document";
import { SERVER_FORM, type ServerDraft } from "./server-fields";

const SETTINGS = serverSettingsSchema.parse({
  name: "shop",
  transport: "openapi",
  url: "https://api.example.com",
  document: { from: "text", text: null },
  query: [{ name: "key", value: null }],
  auth: { type: "client_credentials", clientId: "me", clientSecret: null, tokenUrl: "https://id.example.com/token" },
  operations: { tags: ["pets"], paths: ["GET /orders/*"] },
  outputSchemas: false,
});

const draftFrom = (settings?: typeof SETTINGS) => readInput(SERVER_FORM, settings);
const getSettings = (draft: ServerDraft) => writeInput(SERVER_FORM, draft);
const withDocument = (draft: ServerDraft, value: string): ServerDraft => ({
  ...draft,
  "document.text": { ...draft["document.text"], value },
});

describe("the form of an OpenAPI server", () => {
  it("sends what it was opened with, and keeps the stored document until another one is pasted", () => {
    const draft = draftFrom(SETTINGS);
    expect(serverSettingsSchema.parse(getSettings(draft))).toEqual(SETTINGS);
    expect(getSettings(withDocument(draft, "new"))).toMatchObject({ document: { from: "text", text: "new" } });
    expect(getSettings({ ...draftFrom(), transport: "openapi", "document.from": "text" })).toMatchObject({
      document: { text: "" },
    });
  });

  it("has no authentication that an API cannot have, and selects nothing for empty lines", () => {
    const draft = {
      ...draftFrom(),
      transport: "openapi" as const,
      "auth.type": "oauth" as const,
      "operations.tags": "\n ",
    };
    expect(getSettings(draft)).toMatchObject({ auth: { type: "none" } });
    expect(getSettings(draft)).not.toHaveProperty("operations");
  });

  it("is kept in the tab without secrets and without a long document", () => {
    const draft = draftFrom({ ...SETTINGS, query: [{ name: "key", value: "secret" }] } as typeof SETTINGS);
    const kept = draftOptions(SERVER_FORM).toKept(withDocument(draft, "x".repeat(300_000)));
    expect(JSON.stringify(kept)).not.toMatch(/secret"|xxx/);
    expect(kept.query[0]?.name).toBe("key");
  });

  it("sends a long document compressed, and only the beginning of one to the check", async () => {
    const text = `openapi: 3.1.0\n${"# comment\n".repeat(20_000)}`;
    const sent = await compressDocument(text);
    expect(sent.length).toBeLessThan(10_000);
    expect(gunzipSync(Buffer.from(sent.split(",")[1] ?? "", "base64")).toString()).toBe(text);
    expect(await compressDocument("short")).toBe("short");
    const checked = toChecked(getSettings(withDocument(draftFrom(SETTINGS), text)));
    expect(JSON.stringify(checked).length).toBeLessThan(3000);
  });
});
