import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSecretBox } from "./secret-box";

let folder = "";
let keyFile = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "toolroom-secret-box-"));
  keyFile = path.join(folder, "data/secret.key");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const HEX = "0123456789abcdef".repeat(4);
const fromVariable = (secretKey: string) => createSecretBox({ secretKey, keyFile });
const fromFile = () => createSecretBox({ secretKey: null, keyFile });

describe("sealing", () => {
  it("gives back any text exactly, and seals the same text differently each time", async () => {
    const box = await fromVariable(HEX);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (plain, context) => {
        const one = box.seal(plain, context);
        const other = box.seal(plain, context);
        expect(one).not.toBe(other);
        expect(box.open(one, context)).toBe(plain);
      }),
    );
  });

  it("hides the text and marks the format", async () => {
    const sealed = (await fromVariable(HEX)).seal("ghp_token", "server:files:env");
    expect(sealed).toMatch(/^v1\.[\w-]{8}\.[\w-]{16}\.[\w-]+$/);
    expect(sealed).not.toContain("ghp_token");
    expect(Buffer.from(sealed.split(".")[3] ?? "", "base64url").toString("latin1")).not.toContain("ghp_token");
  });

  it("opens nothing in another place than the one it was sealed for", async () => {
    const box = await fromVariable(HEX);
    const sealed = box.seal("x", "server:files:env");
    expect(() => box.open(sealed, "server:evil:env")).toThrow(/belongs to something else/);
  });

  it("opens nothing that was changed or cut", async () => {
    const box = await fromVariable(HEX);
    const sealed = box.seal("a secret of some length", "c");
    const parts = sealed.split(".");
    for (const at of [2, 3]) {
      const part = parts[at] ?? "";
      const changed = parts.with(at, (part[0] === "A" ? "B" : "A") + part.slice(1)).join(".");
      expect(() => box.open(changed, "c")).toThrow(/was changed/);
    }
    expect(() => box.open(sealed.slice(0, -8), "c")).toThrow(/was changed/);
    for (const damaged of ["", "plain text", sealed.slice(0, 40), sealed.replace("v1.", "v2."), `${sealed}!`]) {
      expect(() => box.open(damaged, "c")).toThrow(/damaged, or another version/);
    }
  });
});

describe("the key", () => {
  it("is taken as it is from hexadecimal digits and from base64, whichever way it is written", async () => {
    const sealed = (await fromVariable(HEX)).seal("x", "c");
    const bytes = Buffer.from(HEX, "hex");
    for (const same of [HEX.toUpperCase(), ` ${HEX}\n`, bytes.toString("base64"), bytes.toString("base64url")]) {
      expect((await fromVariable(same)).open(sealed, "c")).toBe("x");
    }
  });

  it("comes out the same from the same passphrase, in every process", async () => {
    const phrase = "correct horse battery staple";
    const sealed = (await fromVariable(phrase)).seal("x", "c");
    expect((await fromVariable(phrase)).open(sealed, "c")).toBe("x");
    const other = await fromVariable(`${phrase}s`);
    expect(() => other.open(sealed, "c")).toThrow(/another key/);
  });

  it("is refused when it is short, by the variable's name and without telling it", async () => {
    const refusal = await fromVariable("hunter2").catch((error: Error) => error.message);
    expect(refusal).toMatch(/TOOLROOM_SECRET_KEY: must be 64 hexadecimal digits.*at least 16 characters/);
    expect(refusal).not.toContain("hunter2");
    await expect(fromVariable("")).rejects.toThrow(/TOOLROOM_SECRET_KEY/);
  });

  it("names the variable or the file when a secret was sealed with another one", async () => {
    const variable = await fromVariable(HEX);
    const file = await fromFile();
    expect(() => variable.open(file.seal("x", "c"), "c")).toThrow(
      /another key than the one in the environment variable TOOLROOM_SECRET_KEY/,
    );
    expect(() => file.open(variable.seal("x", "c"), "c")).toThrow(
      `another key than the one in the key file ${keyFile}`,
    );
  });
});

describe("the key file", () => {
  it("is made at the first start, for its owner alone, and used from then on", async () => {
    const sealed = (await fromFile()).seal("x", "c");
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    expect(await readFile(keyFile, "utf8")).toMatch(/^[0-9a-f]{64}\n$/);
    expect((await fromFile()).open(sealed, "c")).toBe("x");
    expect(await readdir(path.dirname(keyFile))).toEqual(["secret.key"]);
  });

  it("is closed to others when it was open to them", async () => {
    await fromFile();
    await chmod(keyFile, 0o644);
    const before = await readFile(keyFile, "utf8");
    await fromFile();
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    expect(await readFile(keyFile, "utf8")).toBe(before);
  });

  it("is never replaced when it is damaged, and the message says what to do", async () => {
    await fromFile();
    for (const damaged of ["", "abc", `${HEX}00`]) {
      await writeFile(keyFile, damaged);
      await expect(fromFile()).rejects.toThrow(
        /key file .*secret\.key is damaged.*Restore it from a backup, or delete it/,
      );
      expect(await readFile(keyFile, "utf8")).toBe(damaged);
    }
  });

  it("is not touched while the variable is set", async () => {
    await fromVariable(HEX);
    await expect(stat(keyFile)).rejects.toThrow(/ENOENT/);
  });

  it("that cannot be made is an error with the way out", async () => {
    await writeFile(path.join(folder, "data"), "a file where the folder should be");
    await expect(fromFile()).rejects.toThrow(/key file .*(could not be made|could not be read).*TOOLROOM_SECRET_KEY/);
  });
});
