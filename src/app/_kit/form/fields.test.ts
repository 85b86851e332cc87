import { describe, expect, it } from "vitest";
import { checkDraft, draftOptions, readInput, writeInput } from "./draft-input";
import { choice, defineForm, flag, lines, number, secret, secrets, text } from "./fields";
import { keepsStored, NO_SECRET, readSecret, writeSecret } from "./secret";

type Input = {
  name: string;
  limit?: number;
  auth: { type: "none" } | { type: "basic"; user: string; password: string | null };
  tags?: string[];
  headers: { name: string; value: string | null }[];
  open?: boolean;
};

const fields = {
  name: text("Name", { required: true, check: (typed) => (typed.trim() === "" ? ["is required"] : []) }),
  limit: number("Limit"),
  "auth.type": choice("Sign-in", "none", { none: "None", basic: "Password" }),
  "auth.user": text("User", { required: true, when: (draft) => draft["auth.type"] === "basic" }),
  "auth.password": secret("Password", { when: (draft) => draft["auth.type"] === "basic" }),
  tags: lines("Tags"),
  headers: secrets("Headers", { one: "header", add: "Add header", name: "X-Key" }, "Sent with every request."),
  open: flag("Open"),
};
const form = defineForm<Input>()(fields);

const INPUT: Input = {
  name: "a",
  limit: 5,
  auth: { type: "basic", user: "me", password: null },
  tags: ["x", "y"],
  open: true,
  headers: [
    { name: "X-Key", value: null },
    { name: "X-Team", value: "blue" },
  ],
};

describe("a form's table", () => {
  it("does not compile when a path of the input has no field, or a field no path", () => {
    const { "auth.user": _, ...incomplete } = fields;
    // @ts-expect-error `auth.user` is missing
    defineForm<Input>()(incomplete);
    // @ts-expect-error the input has no `color`
    defineForm<Input>()({ ...fields, color: text("Color") });
  });

  it("gives back what it was made from, and sends nothing for what is empty", () => {
    expect(writeInput(form, readInput(form, INPUT))).toEqual(INPUT);
    expect(writeInput(form, readInput(form))).toEqual({ name: "", auth: { type: "none" }, headers: [] });
  });

  it("sends the fields that belong to what is chosen, and keeps the others", () => {
    const draft = { ...readInput(form, INPUT), "auth.type": "none" as const };
    expect(writeInput(form, draft).auth).toEqual({ type: "none" });
    expect(writeInput(form, { ...draft, "auth.type": "basic" }).auth).toEqual(INPUT.auth);
  });

  it("sends a number that cannot be read as it was typed", () => {
    expect(writeInput(form, { ...readInput(form), limit: " 1e5 " })).toMatchObject({ limit: "1e5" });
    expect(writeInput(form, { ...readInput(form), limit: " 15 " })).toMatchObject({ limit: 15 });
  });

  it("says at which path a value cannot be sent", () => {
    expect(checkDraft(form, readInput(form))).toEqual([{ path: "name", message: "is required" }]);
  });

  it("is kept in the tab without typed secrets, but with references", () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference as it is typed
    const reference = "${PASSWORD}";
    const draft = { ...readInput(form, INPUT), "auth.password": { name: "", value: reference } };
    const kept = draftOptions(form).toKept(draft);
    expect([kept["auth.password"].value, kept.headers[0]?.value, kept.headers[1]?.value]).toEqual([
      reference,
      null,
      "",
    ]);
    expect(kept.name).toBe("a");
  });
});

describe("a secret in a form", () => {
  it("is kept until another value is typed, and never becomes empty by a new name", () => {
    const stored = readSecret({ name: "KEY", value: null });
    expect([keepsStored(stored), writeSecret(stored)]).toEqual([true, null]);
    expect(writeSecret({ ...stored, value: "" })).toBeNull();
    expect(writeSecret({ ...stored, value: "new" })).toBe("new");
    const renamed = { ...stored, name: "OTHER" };
    expect([keepsStored(renamed), writeSecret(renamed)]).toEqual([false, null]);
    expect(writeSecret(NO_SECRET)).toBe("");
  });
});
