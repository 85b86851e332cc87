import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, scrypt } from "node:crypto";
import { chmod, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { moveFile } from "../../../../scripts/move-file.mjs";
import { getMessage } from "../../../lib/get-message";

/** Encrypts secrets for the database. */
export interface SecretBox {
  /** @param context what the secret belongs to (`server:files:env`); it opens only with the same one */
  seal(plain: string, context: string): string;
  /** @throws Error that says why it cannot be opened and what to do, without any of the secret */
  open(sealed: string, context: string): string;
  /** Whether this box's key encrypted the text. */
  hasSealed(sealed: string): boolean;
  /** A key of its own for a purpose, as 64 hexadecimal digits: always the same for the same installation. */
  derive(purpose: string): string;
}

export interface SecretBoxOptions {
  /** The text of `TOOLROOM_SECRET_KEY`; null where it is not set. */
  secretKey: string | null;
  /** Holds the key when the variable is not set; created at the first start. */
  keyFile: string;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MIN_PASSPHRASE_CHARS = 16;
const VARIABLE = "TOOLROOM_SECRET_KEY";
/**
 * Fixed, since every process and every later installation must derive the same key. The passphrase must therefore be
 * strong; 32 random bytes are better.
 */
const PASSPHRASE_SALT = "toolroom secret box v1";
const HEX_KEY = /^[0-9a-fA-F]{64}$/;
const BASE64_KEY = /^[A-Za-z0-9+/_-]{43}=?$/;
const SEALED = /^v1\.([A-Za-z0-9_-]{8})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{22,})$/;

const deriveKey = promisify<string, string, number, Buffer>(scrypt);

/**
 * AES-256-GCM with a random nonce for each secret. A sealed text is `v1.<key id>.<nonce>.<ciphertext and tag>`, the parts in
 * base64url.
 * @throws Error that names the variable or the file when there is no usable key
 */
export async function createSecretBox(options: SecretBoxOptions): Promise<SecretBox> {
  const { key, source } =
    options.secretKey === null
      ? { key: await readKeyFile(options.keyFile), source: `the key file ${options.keyFile}` }
      : { key: await keyFromText(options.secretKey), source: `the environment variable ${VARIABLE}` };
  const keyId = createHash("sha256").update("key id").update(key).digest("base64url").slice(0, 8);

  return {
    derive: (purpose) => Buffer.from(hkdfSync("sha256", key, "", `toolroom ${purpose}`, KEY_BYTES)).toString("hex"),
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(context));
      const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `v1.${keyId}.${nonce.toString("base64url")}.${sealed.toString("base64url")}`;
    },
    hasSealed: (text) => SEALED.exec(text)?.[1] === keyId,
    open(text, context) {
      const [, sealedWith, nonce = "", sealed = ""] = SEALED.exec(text) ?? [];
      if (sealedWith === undefined) {
        throw new Error("A stored secret is damaged, or another version of Toolroom wrote it: enter it again");
      }
      if (sealedWith !== keyId) {
        throw new Error(
          `A stored secret was encrypted with another key than the one in ${source}: put the former key back, or enter the secret again`,
        );
      }
      const bytes = Buffer.from(sealed, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64url"), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString("utf8");
      } catch {
        throw new Error("A stored secret was changed or belongs to something else: enter it again");
      }
    },
  };
}

async function keyFromText(secretKey: string): Promise<Buffer> {
  const text = secretKey.trim();
  if (HEX_KEY.test(text)) return Buffer.from(text, "hex");
  if (BASE64_KEY.test(text)) return Buffer.from(text, "base64");
  if (text.length >= MIN_PASSPHRASE_CHARS) return deriveKey(text, PASSPHRASE_SALT, KEY_BYTES);
  throw new Error(
    `Environment variable ${VARIABLE}: must be 64 hexadecimal digits, 32 bytes in base64, or a passphrase of at least ${MIN_PASSPHRASE_CHARS} characters; unset it to use a key file`,
  );
}

async function readKeyFile(file: string): Promise<Buffer> {
  let text = await readIfThere(file);
  if (text === null) {
    await makeKeyFile(file);
    text = await readFile(file, "utf8");
  }
  await tighten(file);
  if (HEX_KEY.test(text.trim())) return Buffer.from(text.trim(), "hex");
  throw new Error(
    `The key file ${file} is damaged: it must hold 64 hexadecimal digits. Restore it from a backup, or delete it to have a new one made; secrets that are stored must then be entered again`,
  );
}

/** Writes the key file in one step: the owner of the database creates it, commands only read it. */
async function makeKeyFile(file: string): Promise<void> {
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(temporary, `${randomBytes(KEY_BYTES).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
    await moveFile(temporary, file);
  } catch (error) {
    throw new Error(
      `The key file ${file} could not be made (${getMessage(error)}): make its folder writable, or set ${VARIABLE}`,
    );
  } finally {
    await rm(temporary, { force: true });
  }
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (getCode(error) === "ENOENT") return null;
    throw new Error(
      `The key file ${file} could not be read (${getMessage(error)}): make it readable for this user, or set ${VARIABLE}`,
    );
  }
}

/** Makes a key that others may read, for example unpacked from an archive, private. */
async function tighten(file: string): Promise<void> {
  const { mode } = await stat(file);
  if ((mode & 0o077) === 0) return;
  // Another user's file, or a file system without modes: the key still works.
  await chmod(file, 0o600).catch(() => undefined);
}

const getCode = (error: unknown): unknown => (error as { code?: unknown }).code;
